import { type Draft, type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import type { NextId } from '../entry/id.ts';
import type { Head } from '../store/store.ts';
import type { Lookup } from '../tree/walk.ts';

/** Where a session stands after an entry. `entries` must find the target of a `leaf` note. */
export function headAfter({
  head,
  entry,
  entries,
}: {
  readonly head: Head;
  readonly entry: Entry;
  readonly entries: Lookup;
}): Head {
  const counted = { last: entry.handle, count: head.count + 1 };
  if (entry.type === 'leaf') {
    const epoch = entry.target === null ? null : (entries.get(entry.target)?.epoch ?? null);
    return { ...counted, leaf: entry.target, epoch };
  }
  if (nodeTypes.has(entry.type)) return { ...counted, leaf: entry.id, epoch: entry.epoch };
  return { ...counted, leaf: head.leaf, epoch: head.epoch };
}

/** Makes an entry of a draft at the place where the session stands. */
export function stamp({
  draft,
  head,
  id,
  at,
}: {
  readonly draft: Draft;
  readonly head: Head;
  readonly id: EntryId;
  readonly at: number;
}): Entry {
  const epoch = draft.type === 'epoch' ? id : head.epoch;
  return { v: 1, id, parentId: head.leaf, handle: head.last + 1, at, epoch, ...draft };
}

/** What gives entries their ids and times. */
export interface Stamper {
  readonly nextId: NextId;
  readonly now: () => number;
}
