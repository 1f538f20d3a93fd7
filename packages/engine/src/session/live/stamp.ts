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

/**
 * Stands for the handle of the entry itself in the `sent` of a draft. No session has as many entries.
 *
 * @example
 * const sent = capOutputs({ message, handle: ownHandle, window: 200_000, count });
 * await session.append({ type: 'message', message, sent });
 */
export const ownHandle = 999_999_999_999_999;

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
  const handle = head.last + 1;
  return { v: 1, id, parentId: head.leaf, handle, at, epoch, ...addressed({ draft, handle }) };
}

/** What is sent in place of a message names the message's handle, which is known only now. */
function addressed({ draft, handle }: { readonly draft: Draft; readonly handle: number }): Draft {
  if (draft.type !== 'message' || draft.sent === undefined) return draft;
  const text = JSON.stringify(draft.sent).replaceAll(`@${ownHandle}`, `@${handle}`);
  return { ...draft, sent: JSON.parse(text) };
}

/** What gives entries their ids and times. */
export interface Stamper {
  readonly nextId: NextId;
  readonly now: () => number;
}
