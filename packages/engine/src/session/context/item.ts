import { type Message, user } from '../../message/index.ts';
import type { Entry, EntryId } from '../entry/entry.ts';

/** One message of what is sent, and where it comes from. */
export interface ContextItem {
  readonly message: Message;
  /** The entry it is, or replaces; `null` for a message without one (a summary). */
  readonly entry: EntryId | null;
  /** Whether it was made for the epoch instead of said. */
  readonly isMade: boolean;
}

/**
 * What the model sees of an entry, if anything: messages, texts of extensions in the user's role, and summaries of
 * branches that say something. Everything else takes effect through epoch entries only.
 *
 * @example
 * const items = entries.flatMap((entry) => visibleItem(entry) ?? []);
 */
export function visibleItem(entry: Entry): ContextItem | undefined {
  const message = visibleMessage(entry);
  return message && { message, entry: entry.id, isMade: false };
}

function visibleMessage(entry: Entry): Message | undefined {
  switch (entry.type) {
    case 'message':
      return entry.sent ?? entry.message;
    case 'custom_message':
      return { role: 'user', parts: entry.parts };
    case 'branch_summary':
      return entry.summary === '' ? undefined : summaryMessage({ of: 'branch', summary: entry.summary });
    default:
      return undefined;
  }
}

// These sentences are part of bytes that were sent: a changed one changes every old session. Change the codec version
// with them, never them alone.
const leadIns = {
  branch: 'The conversation came back from another branch. This is a summary of what happened there:',
  compaction: 'The conversation before this point was compacted. This is a summary of it:',
} as const;

/** What a summary is marked with. */
export type SummaryTag = 'summary' | 'conversation-summary';

/**
 * The message that tells the model a summary: one sentence of what it is, then the summary between tags, in the user's
 * role and of engine origin.
 *
 * @example
 * const made = summaryMessage({ of: 'compaction', summary: 'The build is green again.' });
 */
export function summaryMessage({
  of,
  summary,
  tag = 'summary',
}: {
  readonly of: 'branch' | 'compaction';
  readonly summary: string;
  readonly tag?: SummaryTag;
}): Message {
  const text = `${leadIns[of]}\n\n<${tag}>\n${summary}\n</${tag}>`;
  return user(text, { origin: 'engine' });
}
