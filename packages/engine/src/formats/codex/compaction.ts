import { canonical, isArray, isObject, type JsonObject } from '../../json.ts';
import { type Message, user } from '../../message/index.ts';
import type { EntryId, EpochItem } from '../../session/index.ts';
import { summaryMessage } from '../../session/internal.ts';
import { digestOf } from '../ids.ts';
import type { ReadItem } from './items.ts';

/** Finds the entry of an item that a compaction repeats. Remembers a hash of each item, never its text. */
export interface ItemIndex {
  readonly remember: (of: { readonly item: JsonObject; readonly entry: EntryId }) => void;
  readonly find: (item: JsonObject) => EntryId | undefined;
  readonly byId: (id: string) => EntryId | undefined;
  /** Whether an entry was said in the user's or the developer's role, so that compactions without a list keep it. */
  readonly isSpoken: (entry: EntryId) => boolean;
}

export function createItemIndex(): ItemIndex {
  const found = new Map<string, EntryId>();
  const ids = new Map<string, EntryId>();
  const spoken = new Set<EntryId>();
  return {
    remember({ item, entry }) {
      if (typeof item.id === 'string') ids.set(item.id, entry);
      const key = keyOf(item);
      if (key !== undefined) found.set(key, entry);
      if (item.type === 'message' && item.role !== 'assistant') spoken.add(entry);
    },
    find(item) {
      const key = keyOf(item);
      return key === undefined ? undefined : found.get(key);
    },
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
    if (isObject(item) && isSummary({ item, message })) return [{ made: user(String(message), { origin: 'engine' }) }];
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

/** Whether an item of the list is the summary itself, which no person wrote. */
function isSummary({ item, message }: { readonly item: JsonObject; readonly message: unknown }): boolean {
  const [content] = isArray(item.content) ? item.content : [];
  return isObject(content) && typeof message === 'string' && message !== '' && content.text === message;
}

/** What makes two items the same: ids and phases are given anew. */
function keyOf(item: JsonObject): string | undefined {
  const { type, role, content, call_id: call, name, arguments: input, output } = item;
  if (type === 'message') return digestOf(canonical([role ?? null, content ?? null]));
  if (type !== 'function_call' && type !== 'function_call_output') return undefined;
  return digestOf(canonical([type, call ?? null, name ?? null, input ?? null, output ?? null]));
}
