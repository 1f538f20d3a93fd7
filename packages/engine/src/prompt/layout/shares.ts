import type { BasePromptElementProps } from '../piece.ts';
import type { Room } from './room.ts';

/** An element as far as its share depends on it. */
export interface Sharer {
  readonly props: BasePromptElementProps & { readonly max?: number };
  readonly kind: { readonly isLimit: boolean } | undefined;
}

/** What the groups that render later have reserved; each `/N` is of the same whole (editor.md 1.6.2). */
export function reservedBy(later: readonly (readonly Sharer[])[], room: Room): number {
  let reserved = 0;
  for (const group of later) {
    for (const { props } of group) {
      const { flexReserve } = props;
      if (!flexReserve) continue;
      reserved += typeof flexReserve === 'string' ? Math.floor(room.left / Number(flexReserve.slice(1))) : flexReserve;
    }
  }
  return reserved;
}

/**
 * What each element of a group is told it has; one number where that is the same for all. A limit that is at most its share is locked: it leaves the pool, and
 * what is decided earlier shrinks the pool for what comes later (editor.md 1.6.3).
 */
export function sharesOf(group: readonly Sharer[], room: Room): number | number[] {
  let pool = 0;
  for (const { props } of group) pool += props.flexBasis ?? 1;
  const { left } = room;
  if (group.every(isPlain)) return Math.floor(left * (1 / pool));
  let lockedTokens = 0;
  const locked = new Set<Sharer>();
  for (const sharer of group) {
    const limit = limitOf(sharer);
    if (limit === undefined) continue;
    const basis = sharer.props.flexBasis ?? 1;
    if (Math.floor(left * (basis / pool)) < limit) continue;
    pool -= basis;
    lockedTokens += limit;
    locked.add(sharer);
  }
  return group.map((sharer) =>
    locked.has(sharer)
      ? (limitOf(sharer) as number)
      : Math.floor((left - lockedTokens) * ((sharer.props.flexBasis ?? 1) / pool)),
  );
}

/** The same for an element that is alone in its group. */
export function shareOfOne(sharer: Sharer, left: number): number {
  const basis = sharer.props.flexBasis ?? 1;
  // A basis of 0 has no share of itself; then a limit holds whatever it is.
  const share = Math.floor(left * (basis / basis));
  const limit = limitOf(sharer);
  return limit === undefined || share < limit ? share : limit;
}

function isPlain({ props, kind }: Sharer): boolean {
  return props.flexBasis === undefined && !kind?.isLimit;
}

/** What a `TokenLimit` allows. */
function limitOf({ props, kind }: Sharer): number | undefined {
  return kind?.isLimit ? props.max : undefined;
}
