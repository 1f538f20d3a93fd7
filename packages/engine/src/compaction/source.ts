import type { Message } from '../message/index.ts';
import { type Entry, type EntryId, visibleItem } from '../session/index.ts';

/** What is read when a summary is made: an item of the context with its address. */
export interface SourceItem {
  /** As in `@12`. */
  readonly handle: number;
  readonly id: EntryId;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: Message;
}

/**
 * What there is to read of an entry: what the model saw of it, but for the head.
 *
 * @example
 * const items = path.flatMap(sourceOf);
 */
export function sourceOf(entry: Entry): SourceItem[] {
  const item = visibleItem(entry);
  if (!item || item.message.role === 'system') return [];
  return [{ handle: entry.handle, id: entry.id, at: entry.at, message: item.message }];
}
