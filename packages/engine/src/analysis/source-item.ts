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
 * What was said on a path, as it was said: a result that was cut when it was first sent is whole here, so that its lines
 * have the numbers under which recall finds them. Without system messages: they stay in front whatever happens.
 *
 * @example
 * const frontier = advanceFrontier({ frontier: createFrontier(), items: sourceItems(await session.path()) });
 */
export function sourceItems(path: readonly Entry[]): SourceItem[] {
  return path.flatMap((entry) => {
    const message = entry.type === 'message' ? entry.message : visibleItem(entry)?.message;
    if (!message || message.role === 'system') return [];
    return [{ handle: entry.handle, id: entry.id, at: entry.at, message }];
  });
}

/**
 * System messages that came after the first word of a session, such as a switch of mode that an agent's client told in
 * between. They are not part of the head, so a compaction would lose them. Those of a changed head are left out: it stands
 * in front of every request.
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
