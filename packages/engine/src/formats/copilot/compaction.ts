import type { JsonObject } from '../../json.ts';
import { type Message, user } from '../../message/index.ts';
import type { CheckpointEntry, Draft, EntryId, EpochEntry, EpochItem } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';

/**
 * The epoch of a compaction: the prompt, what the user asked for, the summary in Copilot's words, and what was said while
 * the summary was being made. Copilot quotes the user's messages in the message of the summary; here they are the entries
 * themselves.
 *
 * @example
 * compactedEpoch({ summary, items: weaver.items(), kept: weaver.keptFrom(first), isQuoted });
 */
export function compactedEpoch({
  summary,
  items,
  kept,
  isQuoted,
}: {
  readonly summary: string;
  /** What was sent before. */
  readonly items: readonly EpochItem[];
  /** What came after the summary was begun. */
  readonly kept: readonly EpochItem[];
  readonly isQuoted: (entry: EntryId) => boolean;
}): Draft<EpochEntry> {
  const later = new Set(kept.map((item) => ('entry' in item ? item.entry : undefined)));
  const quoted = items.filter((item) => 'entry' in item && isQuoted(item.entry) && !later.has(item.entry));
  const list = [...quoted, { made: summaryOf(summary) }, ...kept];
  return { type: 'epoch', reason: 'compaction', items: { list }, codec: codecVersion };
}

function summaryOf(summary: string): Message {
  const text = `Some of the conversation history has been summarized to free up context.\n\nHere is a summary of the prior context:\n<summary>\n${summary}\n</summary>`;
  return user(text, { origin: 'engine' });
}

/** The checkpoint that was written beside the compaction, if one was. */
export function checkpointOf({
  data,
  summary,
}: {
  readonly data: JsonObject;
  readonly summary: string;
}): Draft<CheckpointEntry> | undefined {
  const { checkpointNumber: number, checkpointPath: path } = data;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0) return undefined;
  const [, after = ''] = summary.split('<checkpoint_title>');
  const [title = ''] = after.split('</');
  return {
    type: 'checkpoint',
    number,
    title: title.trim(),
    ...(typeof path === 'string' && { details: { copilot: { path } } }),
  };
}
