import { createHash } from 'node:crypto';
import { canonical, type Json } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import type { EntryId, EpochItem, PruneEntry } from '../../session/index.ts';
import { type Line, snapshotIn } from './turn.ts';

/** A message of the list that Gemini CLI would send, and where it is in the log. */
export interface Piece {
  /** What it says, so that it is known again under another id. */
  readonly key: string;
  readonly role: Message['role'];
  readonly callId?: string;
  /** The summary that it tells. */
  readonly snapshot?: string;
  readonly item: EpochItem;
  /** Where the session stood before its entry. */
  readonly before?: Place;
  /** What to append for it; not there once it is in the log, or stands for something that is. */
  readonly line?: Line;
}

/** A node that the session stood on, and the epoch in which it did. */
interface Place {
  readonly leaf: EntryId | null;
  readonly epoch: EntryId | null;
}

/** A message that is not in the log yet. */
export function pieceOf(line: Line): Piece {
  const { message } = line;
  const [part] = message.parts;
  const snapshot = snapshotIn(message);
  return {
    key: keyOf(message),
    role: message.role,
    ...(part?.type === 'tool_result' && { callId: part.callId }),
    ...(snapshot !== undefined && { snapshot }),
    item: { made: message },
    line,
  };
}

/** A message that is in the log, or will be sent from where it is. */
export function placed({ piece, item }: { readonly piece: Piece; readonly item: EpochItem }): Piece {
  const { line: _, ...rest } = piece;
  return { ...rest, item };
}

/** The entry that a message is, or stands for. */
export function entryOf({ item }: Pick<Piece, 'item'>): EntryId | undefined {
  return 'entry' in item ? item.entry : item.for;
}

/** Whether two places of two lists hold the same message of the log. */
export function isSame(one: Piece | undefined, other: Piece | undefined): boolean {
  if (!one || !other || one.line || other.line) return false;
  return one.key === other.key && entryOf(one) === entryOf(other);
}

/** The tool results that were replaced, where that is all that was done to the list. */
export function maskedIn({
  before,
  after,
}: {
  readonly before: readonly Piece[];
  readonly after: readonly Piece[];
}): PruneEntry['targets'] | undefined {
  if (before.length !== after.length) return undefined;
  const changes = after.flatMap((piece, index) =>
    isSame(piece, before[index]) ? [] : [{ piece, old: before[index] }],
  );
  const targets = changes.flatMap(({ piece, old }) => {
    const entry = entryOf(piece);
    if (piece.callId === undefined || entry === undefined || !old || entryOf(old) !== entry) return [];
    return 'made' in piece.item ? [{ entry, notice: wordsOf(piece.item.made) }] : [];
  });
  return targets.length > 0 && targets.length === changes.length ? targets : undefined;
}

/** The first message after a summary that was said before it. */
export function firstKept({
  kept,
  summary,
}: {
  readonly kept: readonly Piece[];
  readonly summary: Piece;
}): EntryId | null {
  const end = 'entry' in summary.item ? summary.item.entry : undefined;
  return kept.map(entryOf).find((entry) => entry !== undefined && (end === undefined || entry < end)) ?? null;
}

/** What a message says to the model. Thinking is left out: the client does not send it again. */
function keyOf(message: Message): string {
  const others = message.parts.flatMap((part): unknown[] => {
    if (part.type === 'text' || part.type === 'thinking') return [];
    if (part.type === 'tool_call') return [[part.id, part.name, part.arguments]];
    return [part.type === 'tool_result' ? [part.callId, part.content.filter(({ type }) => type !== 'text')] : part];
  });
  const words = wordsOf(message);
  const hash = createHash('sha256').update(`${message.role} ${words.length} `).update(words);
  return hash
    .update(JSON.stringify(canonical(others as Json)))
    .digest('hex')
    .slice(0, 32);
}

function wordsOf({ parts }: Message): string {
  return parts.map((part) => (part.type === 'tool_result' ? part.content.map(textIn).join('') : textIn(part))).join('');
}

function textIn(part: Part): string {
  return part.type === 'text' ? part.text : '';
}
