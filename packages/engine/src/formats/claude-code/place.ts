import type { EntryId } from '../../session/index.ts';

/**
 * Where lines are in the log. The lines of an answer, of its results and of what is attached to it share one place, which
 * moves on with them: whatever names one of them as its parent stands behind them all. So the results of parallel calls,
 * each the child of its call's line, are no branches.
 */
export interface Place {
  /** The first entry that was made of them. */
  first: EntryId | null;
  /** The node that stands last among them; the one they will stand on, as long as nothing was made. */
  node: EntryId | null;
}

/** A place behind a node, in which nothing was made yet. */
export function placeAt(node: EntryId | null): Place {
  return { first: null, node };
}
