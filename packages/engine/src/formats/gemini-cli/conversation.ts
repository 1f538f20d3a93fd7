import { createHash } from 'node:crypto';
import { canonical, type Json } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import type { Draft, Entry, EntryId, EpochItem, EpochReason, PruneEntry } from '../../session/index.ts';
import { codecVersion } from '../../session/internal.ts';
import type { LogBuilder } from '../log-builder.ts';
import { type GeminiTurn, snapshotIn, type TurnMessage } from './turn.ts';

/** A turn in the list. */
interface TurnSlot {
  readonly id: string;
  readonly isModel: boolean;
  readonly pieces: readonly TurnPiece[];
}

/** A change of the list in place, as newer versions write it. */
export interface Patch {
  readonly updates: readonly GeminiTurn[];
  readonly removed: ReadonlySet<string>;
  /** Ids in their new order; turns that are not named stay in front. */
  readonly order: readonly string[];
}

/**
 * Gemini CLI's list of messages, tracked next to the append-only log. When the CLI rewrites its list (rewinds, masks old
 * tool outputs, compresses), entries are appended that turn the model's context into the new list.
 */
export interface GeminiConversation {
  /** Whether the answer to a call is in the log. */
  isAnswered(callId: string): boolean;
  /** Whose turn it is; `undefined` where the list has none of this id. */
  isModel(id: string): boolean | undefined;
  /** Puts a turn at the end of the list, or in place of the one with its id. */
  put(input: { readonly turn: GeminiTurn; readonly at: number }): Entry[];
  /** Ends the list before a turn; one that is not there empties it. */
  rewind(input: { readonly id: string; readonly at: number }): Entry[];
  /** Replaces the list. `tokens` is how large the prompt was last. */
  install(input: { readonly turns: readonly GeminiTurn[]; readonly at: number; readonly tokens: number }): Entry[];
  patch(input: { readonly patch: Patch; readonly at: number; readonly tokens: number }): Entry[];
}

export function createGeminiConversation({ builder }: { readonly builder: LogBuilder }): GeminiConversation {
  const entries = new Map<string, EntryId>();
  const answers = new Map<string, EntryId>();
  const summaries = new Set<string>();
  const kinds = new Map<string, boolean>();
  let slots: TurnSlot[] = [];
  return {
    isAnswered: (callId) => answers.has(callId),
    isModel: (id) => kinds.get(id),
    put({ turn, at }) {
      if (!kinds.has(turn.id)) return append({ slot: slotOf(turn), at });
      const recognize = createRecognizer();
      return settle({ next: slots.map((slot) => (slot.id === turn.id ? recognize(turn) : slot)), at, tokens: 0 });
    },
    rewind({ id, at }) {
      const index = slots.findIndex((slot) => slot.id === id);
      return settle({ next: slots.slice(0, Math.max(0, index)), at, tokens: 0 });
    },
    install: ({ turns, at, tokens }) => settle({ next: turns.map(createRecognizer()), at, tokens }),
    patch({ patch: { updates, removed, order }, at, tokens }) {
      const places = new Map(order.map((id, index) => [id, index]));
      const place = ({ id }: TurnSlot) => places.get(id) ?? -1;
      const changed = updated(updates).filter(({ id }) => !removed.has(id));
      return settle({ next: changed.sort((one, other) => place(one) - place(other)), at, tokens });
    },
  };

  function append({ slot, at }: { readonly slot: TurnSlot; readonly at: number }): Entry[] {
    const appended: Entry[] = [];
    const pieces = slot.pieces.map((piece) => {
      if (!piece.line) return piece;
      const { at: own = at, ...said } = piece.line;
      const { leaf, epoch } = builder;
      appended.push(...builder.append({ draft: { type: 'message', ...said }, at: own }));
      const entry = appended.at(-1)?.id ?? '';
      entries.set(piece.key, entry);
      if (piece.callId !== undefined) answers.set(piece.callId, entry);
      return { ...placed({ piece, item: { entry } }), before: { leaf, epoch } };
    });
    slots.push({ ...slot, pieces });
    kinds.set(slot.id, slot.isModel);
    return appended;
  }

  /** Brings the log to where its context is the next list. */
  function settle(of: { readonly next: readonly TurnSlot[]; readonly at: number; readonly tokens: number }): Entry[] {
    const { next, at, tokens } = of;
    const before = slots.flatMap(({ pieces }) => pieces);
    const after = next.flatMap(({ pieces }) => pieces);
    const differs = after.findIndex((piece, index) => !isSame(piece, before[index]));
    const shared = differs < 0 ? after.length : differs;
    if (shared === before.length && after.slice(shared).every(({ line }) => line)) {
      const known = slotsWithin({ list: next, count: shared });
      become(known);
      return next.slice(known.length).flatMap((slot) => append({ slot, at }));
    }
    const cut = shared === after.length ? before[shared]?.before : undefined;
    become(next);
    // Nothing but a step back, and to a place that shows the same list still.
    if (cut && cut.epoch === builder.epoch) {
      return builder.append({ draft: { type: 'leaf', target: cut.leaf, reason: 'rewind' }, at });
    }
    return reopened({ before, after, tokens }).flatMap((draft) => builder.append({ draft, at }));
  }

  function become(next: readonly TurnSlot[]): void {
    slots = next.map((slot) => ({ ...slot, pieces: slot.pieces.map((piece) => placed({ piece, item: piece.item })) }));
    kinds.clear();
    for (const { id, isModel } of slots) kinds.set(id, isModel);
  }

  /** The drafts that open an epoch with the list. */
  function reopened(of: {
    readonly before: readonly TurnPiece[];
    readonly after: readonly TurnPiece[];
    readonly tokens: number;
  }) {
    const { after, tokens } = of;
    const list = after.map(({ item }) => item);
    const epoch = (reason: EpochReason): Draft => ({ type: 'epoch', reason, items: { list }, codec: codecVersion });
    const at = after.findIndex(({ snapshot, key }) => snapshot !== undefined && !summaries.has(key));
    const summary = after[at];
    if (summary?.snapshot !== undefined) {
      summaries.add(summary.key);
      const firstKeptId = firstKept({ kept: after.slice(at + 1), summary });
      const facts = { summary: summary.snapshot, firstKeptId, tokensBefore: tokens, trigger: 'import' };
      return [{ type: 'compaction', ...facts } satisfies Draft, epoch('compaction')];
    }
    const targets = maskedIn(of);
    return targets ? [{ type: 'prune', targets } satisfies Draft, epoch('prune')] : [epoch('import')];
  }

  /** Finds what the log has of the turns of a new list, each message once. */
  function createRecognizer(): (turn: GeminiTurn) => TurnSlot {
    const known = new Map(slots.map((slot) => [slot.id, slot]));
    const free = new Map<string, TurnPiece[]>();
    for (const { pieces } of slots)
      for (const piece of pieces) free.set(piece.key, [...(free.get(piece.key) ?? []), piece]);
    const taken = new Set<EntryId>();
    return (turn) => {
      const slot = known.get(turn.id);
      return { id: turn.id, isModel: turn.isModel, pieces: turn.lines.map((line) => pieceFor({ line, slot })) };
    };

    function pieceFor({ line, slot }: { readonly line: TurnMessage; readonly slot: TurnSlot | undefined }): TurnPiece {
      const piece = pieceOf(line);
      const entry = entries.get(piece.key);
      const log = entry === undefined ? undefined : placed({ piece, item: { entry } });
      const found = [free.get(piece.key)?.shift(), log].find((one) => one && !taken.has(entryOf(one) ?? ''));
      if (!found) return standIn({ piece, slot });
      taken.add(entryOf(found) ?? '');
      return found;
    }
  }

  /** A message that is new, or one in another's place. */
  function standIn({ piece, slot }: { readonly piece: TurnPiece; readonly slot: TurnSlot | undefined }): TurnPiece {
    const old = slot?.pieces.find(({ role, callId }) => role === piece.role && callId === undefined);
    const target = piece.callId === undefined ? old && entryOf(old) : answers.get(piece.callId);
    if (target === undefined || !piece.line) return piece;
    return placed({ piece, item: { made: piece.line.message, for: target } });
  }

  /** The list with messages of some turns replaced; answers of tools are found wherever they stand. */
  function updated(updates: readonly GeminiTurn[]): TurnSlot[] {
    const list = [...slots];
    for (const { id, lines } of updates) {
      for (const line of lines) {
        const piece = pieceOf(line);
        const isPlace = (old: TurnPiece) =>
          piece.callId === undefined ? old.role === piece.role : old.callId === piece.callId;
        const at = list.findIndex(
          (slot) => (piece.callId !== undefined || slot.id === id) && slot.pieces.some(isPlace),
        );
        const slot = list[at];
        const index = slot?.pieces.findIndex(isPlace) ?? -1;
        if (!slot || slot.pieces[index]?.key === piece.key) continue;
        list[at] = { ...slot, pieces: slot.pieces.with(index, standIn({ piece, slot })) };
      }
    }
    return list;
  }
}

function slotOf({ id, isModel, lines }: GeminiTurn): TurnSlot {
  return { id, isModel, pieces: lines.map(pieceOf) };
}

/** The first slots of a list that hold no more than so many messages. */
function slotsWithin({
  list,
  count,
}: {
  readonly list: readonly TurnSlot[];
  readonly count: number;
}): readonly TurnSlot[] {
  let length = 0;
  const end = list.findIndex(({ pieces }) => {
    length += pieces.length;
    return length > count;
  });
  return end < 0 ? list : list.slice(0, end);
}

/** A message of the list that Gemini CLI would send, and where it is in the log. */
interface TurnPiece {
  /** What it says, so that it is known again under another id. */
  readonly key: string;
  readonly role: Message['role'];
  readonly callId?: string;
  /** The summary that it tells. */
  readonly snapshot?: string;
  readonly item: EpochItem;
  /** Where the session stood before its entry. */
  readonly before?: LogPosition;
  /** The draft to append; absent once it is in the log, or if it represents an existing entry. */
  readonly line?: TurnMessage;
}

/** A node that the session stood on, and the epoch in which it did. */
interface LogPosition {
  readonly leaf: EntryId | null;
  readonly epoch: EntryId | null;
}

/** A message that is not in the log yet. */
function pieceOf(line: TurnMessage): TurnPiece {
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
function placed({ piece, item }: { readonly piece: TurnPiece; readonly item: EpochItem }): TurnPiece {
  const { line: _, ...rest } = piece;
  return { ...rest, item };
}

/** The entry of a message, or the entry it represents. */
function entryOf({ item }: Pick<TurnPiece, 'item'>): EntryId | undefined {
  return 'entry' in item ? item.entry : item.for;
}

/** Whether two places of two lists hold the same message of the log. */
function isSame(one: TurnPiece | undefined, other: TurnPiece | undefined): boolean {
  if (!one || !other || one.line || other.line) return false;
  return one.key === other.key && entryOf(one) === entryOf(other);
}

/** The tool results that were replaced, where that is all that was done to the list. */
function maskedIn({
  before,
  after,
}: {
  readonly before: readonly TurnPiece[];
  readonly after: readonly TurnPiece[];
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
function firstKept({
  kept,
  summary,
}: {
  readonly kept: readonly TurnPiece[];
  readonly summary: TurnPiece;
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
