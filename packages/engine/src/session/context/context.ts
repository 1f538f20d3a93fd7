import type { Entry, EntryId, EpochEntry, EpochItem } from '../entry/entry.ts';
import { badReference, type LogProblem, missingItem, unordered } from '../tree/problem.ts';
import { type Lookup, walkUp } from '../tree/walk.ts';
import { type ContextItem, visibleItem } from './item.ts';

/** What is sent at a place of the tree. */
export interface Context {
  readonly leaf: EntryId | null;
  /** The epoch in force; `null` before the first. */
  readonly epoch: EntryId | null;
  readonly items: readonly ContextItem[];
  /** What is wrong with the log on the way here; none in a sound one. */
  readonly problems: readonly LogProblem[];
}

/** Before anything was said. */
export const emptyContext: Context = { leaf: null, epoch: null, items: [], problems: [] };

/**
 * What is sent at a leaf: the frozen items of the newest epoch on its path, then everything visible after it. A pure
 * function of the log; it looks only at the entries it needs, so that a part of the log is enough. An entry that it needs
 * and does not get is a problem in the result, never a guess.
 *
 * @example
 * const { items } = contextOf({ entries: new Map(entries.map((entry) => [entry.id, entry])), leaf: entries.at(-1)?.id ?? null });
 */
export function contextOf({ entries, leaf }: { readonly entries: Lookup; readonly leaf: EntryId | null }): Context {
  const problems: LogProblem[] = [];
  /** From the newest to the oldest; each in its own order. */
  const segments: (readonly ContextItem[])[] = [];
  let epoch: EntryId | null = null;
  let cursor = leaf;
  for (;;) {
    const found = sinceEpoch({ entries, from: cursor, problems });
    segments.push(found.items);
    const opened = found.epoch;
    if (!opened) break;
    epoch ??= opened.id;
    if ('list' in opened.items) {
      segments.push(listed({ entries, epoch: opened, list: opened.items.list, problems }));
      break;
    }
    const { node, after } = opened.items.restore;
    segments.push(visibleAfter({ entries, epoch: opened, after, problems }));
    // What is restored is older than what restores it, or a forged log would send us round for ever.
    const target = node === null ? undefined : entries.get(node);
    if (target && target.handle >= opened.handle) {
      problems.push(unordered({ entry: opened, target }));
      break;
    }
    cursor = node;
  }
  return { leaf, epoch, items: segments.reverse().flat(), problems };
}

/** What became visible after the newest epoch entry on the way up from here, and that entry. */
function sinceEpoch({
  entries,
  from,
  problems,
}: {
  readonly entries: Lookup;
  readonly from: EntryId | null;
  readonly problems: LogProblem[];
}): { readonly items: readonly ContextItem[]; readonly epoch: EpochEntry | undefined } {
  const items: ContextItem[] = [];
  const found: { epoch?: EpochEntry } = {};
  const problem = walkUp({
    entries,
    from,
    visit: (entry) => {
      if (entry.type === 'epoch') {
        found.epoch = entry;
        return 'stop';
      }
      const item = visibleItem(entry);
      if (item) items.push(item);
      return undefined;
    },
  });
  if (problem) problems.push(problem);
  return { items: items.reverse(), epoch: found.epoch };
}

/** What became visible between two epoch entries of one path, whatever epochs opened in between. */
function visibleAfter({
  entries,
  epoch,
  after,
  problems,
}: {
  readonly entries: Lookup;
  readonly epoch: EpochEntry;
  readonly after: EntryId;
  readonly problems: LogProblem[];
}): readonly ContextItem[] {
  const items: ContextItem[] = [];
  let isFound = false;
  const problem = walkUp({
    entries,
    from: epoch.parentId,
    visit: (entry) => {
      isFound = entry.id === after;
      if (isFound) return 'stop';
      const item = visibleItem(entry);
      if (item) items.push(item);
      return undefined;
    },
  });
  if (problem) problems.push(problem);
  else if (!isFound)
    problems.push(badReference({ entry: epoch, why: `restores from ${after}, which is not on its path` }));
  return items.reverse();
}

/** The items of an epoch, one by one. */
export function listed({
  entries,
  epoch,
  list,
  problems,
}: {
  readonly entries: Lookup;
  readonly epoch: Entry;
  readonly list: readonly EpochItem[];
  readonly problems: LogProblem[];
}): readonly ContextItem[] {
  return list.flatMap((item): readonly ContextItem[] => {
    if ('made' in item) return [{ message: item.made, entry: item.for ?? null, isMade: true }];
    const entry = entries.get(item.entry);
    const visible = entry && visibleItem(entry);
    if (visible) return [visible];
    problems.push(
      entry
        ? badReference({ entry: epoch, why: `sends @${entry.handle}, a ${entry.type} that is never sent` })
        : missingItem({ id: item.entry, by: epoch }),
    );
    return [];
  });
}
