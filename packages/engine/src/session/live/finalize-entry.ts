import { type Draft, type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import type { NextId } from '../entry/id.ts';
import type { Head } from '../store/store.ts';
import type { Lookup } from '../tree/walk.ts';

/** The head of a session after an entry. `entries` must contain the target of a `leaf` note. */
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

/**
 * The draft with what is sent in place of its message, now that the handle is known. A function of the handle, not a
 * placeholder in the text: text that people, tools or models wrote may contain anything, so nothing in it is replaced.
 */
export function resolveSent({ draft, handle }: { readonly draft: Draft; readonly handle: number }): Draft {
  if (draft.type !== 'message' || draft.sentAs === undefined) return draft;
  const { sentAs, ...rest } = draft;
  const sent = sentAs(handle);
  return sent === undefined ? rest : { ...rest, sent: JSON.parse(JSON.stringify(sent)) };
}

/** Turns a draft into an entry at the leaf of the session. */
export function finalizeEntry({
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
export interface EntryFinalizer {
  readonly nextId: NextId;
  readonly now: () => number;
}
