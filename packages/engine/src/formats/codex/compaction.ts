import { canonical, isArray, isObject, type JsonObject } from '../../json.ts';
import { type Message, user } from '../../message/index.ts';
import type { EntryId, EpochItem } from '../../session/index.ts';
import { summaryMessage } from '../../session/internal.ts';
import { digestOf } from '../ids.ts';
import type { ReadItem } from './items.ts';

/** Finds the entry of an item that a compaction repeats. Remembers a hash of each message, never its text. */
export interface ItemIndex {
  readonly remember: (of: { readonly item: JsonObject; readonly entry: EntryId }) => void;
  readonly find: (item: JsonObject) => EntryId | undefined;
  readonly byId: (id: string) => EntryId | undefined;
  /** Whether an entry was said in the user's or the developer's role, so that compactions without a list keep it. */
  readonly isSpoken: (entry: EntryId) => boolean;
}

export function createItemIndex(): ItemIndex {
  const messages = new Map<string, EntryId>();
  const ids = new Map<string, EntryId>();
  const spoken = new Set<EntryId>();
  return {
    remember({ item, entry }) {
      if (typeof item.id === 'string') ids.set(item.id, entry);
      if (item.type !== 'message') return;
      messages.set(keyOf(item), entry);
      if (item.role !== 'assistant') spoken.add(entry);
    },
    find: (item) => (item.type === 'message' ? messages.get(keyOf(item)) : undefined),
    byId: (id) => ids.get(id),
    isSpoken: (entry) => spoken.has(entry),
  };
}

/** What a compaction put in the place of the history. */
export interface Replacement {
  readonly list: readonly EpochItem[];
  /** Items that only their provider can read, and that a filter changed. */
  readonly spoilt: number;
  /** Items that are named and stand nowhere. */
  readonly missing: number;
}

/**
 * The list that a `compacted` line puts in the place of the history: entries where the log has the message, and messages
 * made for it otherwise. Older versions wrote the summary alone, and built the list anew from what was said to the model.
 *
 * @example
 * replacementOf({ payload: { message: '', replacement_history: [] }, items: weaver.items(), index, read });
 */
export function replacementOf({
  payload,
  items,
  index,
  read,
}: {
  readonly payload: JsonObject;
  /** What was sent before. */
  readonly items: readonly EpochItem[];
  readonly index: ItemIndex;
  readonly read: (item: JsonObject) => ReadItem | undefined;
}): Replacement {
  const { message, replacement_history: history, replacement_history_entries: entries } = payload;
  const listed = isArray(entries) ? entries : isArray(history) ? history : undefined;
  if (!listed) {
    const said = items.filter((item) => 'entry' in item && index.isSpoken(item.entry));
    return { list: [...said, { made: summaryOf(message) }], spoilt: 0, missing: 0 };
  }
  let [spoilt, missing] = [0, 0];
  const list = listed.filter(isObject).flatMap((listing): readonly EpochItem[] => {
    const { item = listing, item_id: id } = listing;
    const entry = typeof id === 'string' ? index.byId(id) : isObject(item) ? index.find(item) : undefined;
    if (entry !== undefined) return [{ entry }];
    const made = typeof id === 'string' || !isObject(item) ? undefined : read(item);
    if (typeof made === 'object') return [{ made: made.message }];
    if (made === 'spoilt') spoilt += 1;
    if (made === undefined) missing += 1;
    return [];
  });
  return { list, spoilt, missing };
}

/** Codex's own lead-in, which later versions log with the summary. */
const leadIn = 'Another language model started to solve this problem';

function summaryOf(message: unknown): Message {
  const summary = typeof message === 'string' && message !== '' ? message : '(no summary available)';
  if (!summary.startsWith(leadIn)) return summaryMessage({ of: 'compaction', summary });
  return user(summary, { origin: 'engine' });
}

/** What makes two messages the same: ids and phases are given anew. */
function keyOf({ role, content }: JsonObject): string {
  return digestOf(canonical([role ?? null, content ?? null]));
}
