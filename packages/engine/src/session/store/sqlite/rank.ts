/** A place that matches, before its context counts. */
export interface Candidate {
  readonly session: string;
  readonly handle: number;
  readonly part: number;
  readonly at: number;
  /** How well the words fit; higher is better. */
  readonly fit: number;
}

const day = 86_400_000;

/** Half as important after this long. */
const halfLife = 7 * day;

/**
 * Orders candidates: how well the words fit, more for what is recent (in its session, and against the newest that was
 * found), more for what is on the path the session stands on than for what was abandoned.
 */
export function rank<C extends Candidate>({
  candidates,
  placeOf,
}: {
  readonly candidates: readonly C[];
  readonly placeOf: (candidate: C) => { readonly last: number; readonly onPath: boolean };
}): (C & { readonly score: number })[] {
  const newest = candidates.reduce((most, { at }) => Math.max(most, at), 0);
  return candidates
    .map((candidate) => {
      const { last, onPath } = placeOf(candidate);
      const late = last > 0 ? candidate.handle / last : 0;
      const fresh = 2 ** (-(newest - candidate.at) / halfLife);
      const score = candidate.fit * (1 + 0.15 * late + 0.15 * fresh) * (onPath ? 1.25 : 1);
      return { ...candidate, score };
    })
    .sort((a, b) => b.score - a.score || b.at - a.at || b.handle - a.handle || a.part - b.part);
}
