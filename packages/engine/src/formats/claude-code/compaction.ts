import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import { type Message, user } from '../../message/index.ts';
import type { CompactionEntry, Draft, EntryId, EpochEntry, EpochItem } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import { messageOf, textOfContent } from './content.ts';
import { detailsOf, uuidOf } from './line.ts';

/** A run of lines that stays verbatim through a compaction, by their uuids. */
export interface Preserved {
  readonly head: string;
  readonly tail: string;
  /** The line behind which they stand from then on: the summary, or the boundary where the summary comes last. */
  readonly anchor: string | undefined;
}

/** What a boundary says was kept; versions up to 2.1.33 kept nothing and say nothing. */
export function preservedOf(boundary: JsonObject | undefined): Preserved | undefined {
  const metadata = metadataOf(boundary);
  const segment = isObject(metadata.preservedSegment) ? metadata.preservedSegment : {};
  const messages = isObject(metadata.preservedMessages) ? metadata.preservedMessages : {};
  const uuids = isArray(messages.uuids) ? messages.uuids : [];
  const [head, tail] = [text(segment.headUuid ?? uuids[0]), text(segment.tailUuid ?? uuids.at(-1))];
  if (head === undefined || tail === undefined) return undefined;
  return { head, tail, anchor: text(segment.anchorUuid ?? messages.anchorUuid) };
}

/** The compaction that a boundary and its summary tell of. Either may be missing: old versions write no boundary. */
export function compactionDraft({
  boundary,
  summary,
  firstKeptId,
}: {
  readonly boundary: JsonObject | undefined;
  readonly summary: JsonObject | undefined;
  readonly firstKeptId: EntryId | null;
}): Draft<CompactionEntry> {
  const { trigger, preTokens, ...rest } = metadataOf(boundary);
  const uuids = [boundary, summary].flatMap((raw) => (raw ? (uuidOf(raw) ?? []) : []));
  return {
    type: 'compaction',
    summary: summary ? textOfContent(messageOf(summary).content) : '',
    firstKeptId,
    tokensBefore: typeof preTokens === 'number' && preTokens >= 0 ? preTokens : 0,
    trigger: typeof trigger === 'string' ? trigger : 'import',
    ...detailsOf({ uuids, ...without(rest, ['preservedSegment', 'preservedMessages']) }),
  };
}

/** What is sent from a compaction on: its summary, word for word as Claude Code sends it, and what was kept. */
export function compactionEpoch({
  summary,
  kept,
  isSummaryLast,
}: {
  readonly summary: string;
  readonly kept: readonly EpochItem[];
  readonly isSummaryLast: boolean;
}): Draft<EpochEntry> {
  const message: Message = user(summary, { origin: 'engine' });
  const made = summary === '' ? [] : [{ made: message }];
  const list = isSummaryLast ? [...kept, ...made] : [...made, ...kept];
  return { type: 'epoch', reason: 'compaction', items: { list }, codec: codecVersion };
}

/** The items from one entry to another; none where the first is not among them. */
export function between({
  items,
  first,
  last,
}: {
  readonly items: readonly EpochItem[];
  readonly first: EntryId | null;
  readonly last: EntryId | null;
}): readonly EpochItem[] {
  const placeOf = (id: EntryId | null) =>
    items.findIndex((item) => id !== null && ('entry' in item ? item.entry : item.for) === id);
  const [from, to] = [placeOf(first), placeOf(last)];
  if (from < 0) return [];
  return items.slice(from, to < from ? undefined : to + 1);
}

function metadataOf(boundary: JsonObject | undefined): JsonObject {
  return isObject(boundary?.compactMetadata) ? boundary.compactMetadata : {};
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
