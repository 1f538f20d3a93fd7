import type { Message } from '../message/index.ts';
import { type Entry, type EntryId, visibleItem } from '../session/index.ts';

/** An item of the context with its handle, as the summarizer reads it. */
export interface SourceItem {
  /** The number in `@12`. */
  readonly handle: number;
  readonly id: EntryId;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly message: Message;
}

/**
 * The messages of a path in full: a result that was capped when sent is complete here, so that line numbers match recall.
 * Without system messages, which always stay in the head.
 *
 * @example
 * const frontier = advanceFrontier({ frontier: createFrontier(), items: sourceItems(await session.session.path()) });
 */
export function sourceItems(path: readonly Entry[]): SourceItem[] {
  return path.flatMap((entry) => {
    const message = entry.type === 'message' ? entry.message : visibleItem(entry)?.message;
    if (!message || message.role === 'system') return [];
    return [{ handle: entry.handle, id: entry.id, at: entry.at, message }];
  });
}

/**
 * System messages after the first message of a session, such as a mode switch announced by an agent's client. They are not
 * part of the head, so a compaction would lose them. Messages of a changed head are left out: every request contains it.
 *
 * @example
 * laterSystemItems(await session.path()).map(({ handle }) => handle); // [79]
 */
export function laterSystemItems(path: readonly Entry[]): SourceItem[] {
  const items: SourceItem[] = [];
  let run: SourceItem[] = [];
  let hasBegun = false;
  for (const entry of path) {
    const message = entry.type === 'message' ? entry.message : undefined;
    if (message?.role === 'system') {
      if (hasBegun) run.push({ handle: entry.handle, id: entry.id, at: entry.at, message });
      continue;
    }
    if (message || entry.type === 'epoch') {
      if (!(entry.type === 'epoch' && entry.reason === 'head')) items.push(...run);
      run = [];
    }
    hasBegun ||= message !== undefined;
  }
  return [...items, ...run];
}
