import type { Entry, EntryId } from '../entry/entry.ts';
import { type LogProblem, missing, unordered } from './problem.ts';

/** Where entries are found by id: a map, or what was loaded of a longer log. */
export interface Lookup {
  get(id: EntryId): Entry | undefined;
}

/**
 * Goes from an entry to its root, newest first, until `visit` says `'stop'`. It ends in every log: a parent is older
 * than its child, so one that does not have a smaller handle is a cycle or a forgery; it is reported, not followed.
 */
export function walkUp({
  entries,
  from,
  visit,
}: {
  readonly entries: Lookup;
  readonly from: EntryId | null;
  readonly visit: (entry: Entry) => 'stop' | undefined;
}): LogProblem | undefined {
  let id = from;
  let child: Entry | undefined;
  while (id !== null) {
    const entry = entries.get(id);
    if (!entry) return missing({ id, by: child });
    if (child && entry.handle >= child.handle) return unordered({ entry: child, target: entry });
    if (visit(entry) === 'stop') return undefined;
    child = entry;
    id = entry.parentId;
  }
  return undefined;
}

/** The entries from the root to `leaf`, both included, and what is wrong on the way. */
export interface Path {
  readonly entries: readonly Entry[];
  readonly problems: readonly LogProblem[];
}

/**
 * The path from the root to an entry. A log with a hole gives what is below the hole, and the problem.
 *
 * @example
 * const { entries } = pathOf({ entries: tree.byId, leaf: tree.leaf });
 */
export function pathOf({ entries, leaf }: { readonly entries: Lookup; readonly leaf: EntryId | null }): Path {
  const path: Entry[] = [];
  const problem = walkUp({
    entries,
    from: leaf,
    visit: (entry) => {
      path.push(entry);
      return undefined;
    },
  });
  return { entries: path.reverse(), problems: problem ? [problem] : [] };
}
