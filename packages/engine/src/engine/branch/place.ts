import type { Part } from '../../message/index.ts';
import type { Entry, EntryId } from '../../session/index.ts';

/** Where a move to an entry leads. */
export interface Place {
  /** Where the session will stand. */
  readonly at: EntryId | null;
  /** What was said there, to be said again in other words. */
  readonly text?: string;
}

/**
 * Where a session stands after a move to an entry: at the entry itself; but whoever goes to a message of a person wants
 * to say it otherwise, so the session stands before it and its text is handed back (sessions.md 7.4).
 *
 * @example
 * placeFor(entry); // { at: entry.parentId, text: 'Fix the build.' }
 */
export function placeFor(entry: Entry | null): Place {
  if (!entry) return { at: null };
  const parts = saidIn(entry);
  return parts ? { at: entry.parentId, text: textOf(parts) } : { at: entry.id };
}

/** What stands in the user's role. Some dialects put the results of tools there: nobody said those. */
function saidIn(entry: Entry): readonly Part[] | undefined {
  if (entry.type === 'custom_message') return entry.parts;
  if (entry.type !== 'message' || entry.message.role !== 'user') return undefined;
  const { parts } = entry.message;
  return parts.some(({ type }) => type === 'tool_result') ? undefined : parts;
}

/** What clients put around a person's words is put there again when they are sent. */
function textOf(parts: readonly Part[]): string {
  const texts = parts.filter((part) => part.type === 'text');
  const typed = texts.filter(({ origin }) => origin === 'human');
  return (typed.length > 0 ? typed : texts).map(({ text }) => text).join('\n\n');
}
