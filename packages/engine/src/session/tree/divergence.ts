import { type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import { type LogProblem, missing, unordered } from './problem.ts';
import type { Lookup } from './walk.ts';

/** How two places of a tree lie to each other. */
export interface Divergence {
  /** The newest entry that is on both paths; `null` where the paths have different roots. */
  readonly ancestor: EntryId | null;
  /** Nodes on the path of `from` only, oldest first: what a move from there abandons. */
  readonly abandoned: readonly Entry[];
  /** Nodes on the path of `to` only, oldest first. */
  readonly gained: readonly Entry[];
  readonly problems: readonly LogProblem[];
}

/**
 * The common ancestor of two places and what lies between. Only the entries between are looked at, however long the
 * paths are: of two different entries the younger cannot be an ancestor of the older, so the younger steps up.
 *
 * @example
 * const { abandoned } = divergence({ entries, from: leaf, to: target });
 */
export function divergence({
  entries,
  from,
  to,
}: {
  readonly entries: Lookup;
  readonly from: EntryId | null;
  readonly to: EntryId | null;
}): Divergence {
  const problems: LogProblem[] = [];
  const find = (id: EntryId | null, by: Entry | undefined): Entry | undefined => {
    const entry = id === null ? undefined : entries.get(id);
    if (id !== null && !entry) problems.push(missing({ id, by }));
    if (entry && by && entry.handle >= by.handle) {
      problems.push(unordered({ entry: by, target: entry }));
      return undefined;
    }
    return entry;
  };
  const left: Entry[] = [];
  const right: Entry[] = [];
  let a = find(from, undefined);
  let b = find(to, undefined);
  while (a?.id !== b?.id) {
    if (a && (!b || a.handle >= b.handle)) {
      left.push(a);
      a = find(a.parentId, a);
    } else if (b) {
      right.push(b);
      b = find(b.parentId, b);
    }
  }
  const nodes = (list: readonly Entry[]) => list.filter(({ type }) => nodeTypes.has(type)).reverse();
  return { ancestor: a?.id ?? null, abandoned: nodes(left), gained: nodes(right), problems };
}
