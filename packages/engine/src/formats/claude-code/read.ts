import { isObject, type JsonObject } from '../../json.ts';
import type { Part, ToolResultPart } from '../../message/index.ts';
import type { Draft, Entry, EntryId } from '../../session/index.ts';
import type { LogBuilder } from '../log-builder.ts';
import type { SkipCounter } from '../skip-counter.ts';
import type { WarningList } from '../warnings.ts';
import { type AnswerBuilder, openAnswer } from './answer.ts';
import { between, compactionDraft, compactionEpoch, preservedOf } from './compaction.ts';
import { messageOf, readAttachment, readUserContent } from './content.ts';
import { createRest, detailsOf, type Rest, speakerOf, type TranscriptLine, uuidOf, type Whose } from './line.ts';
import { createNotes } from './notes.ts';

/** One conversation of a file: a person's, or that of a sub-agent. */
export interface ThreadReader {
  readonly take: (line: TranscriptLine) => Generator<Entry>;
  /** Closes the answer that is being collected. */
  readonly settle: () => Generator<Entry>;
  /** End of the file; an answer that is being collected may continue when the file grows. */
  readonly end: () => Generator<Entry>;
}

/** Something whose end is still to come, and what has come behind it meanwhile. */
interface PendingItem {
  /** Where it will stand. */
  readonly parent: ThreadPosition;
  readonly place: ThreadPosition;
  readonly after: QueuedDrafts[];
  bytes: number;
}

/** An answer whose lines are still being collected. */
interface Open extends PendingItem {
  readonly answer: AnswerBuilder;
  readonly results: QueuedDrafts[];
}

/** A compaction without its summary. */
interface Boundary extends PendingItem {
  readonly line: TranscriptLine;
}

interface QueuedDrafts {
  readonly drafts: readonly Draft[];
  readonly at: number;
}

/** Maximum size of the queue. Later lines start a new answer, or follow a compaction that has no summary. */
const maxQueuedBytes = 32 * 1024 * 1024;

/** With these the client says that a turn is over. */
const turnEnds: ReadonlySet<unknown> = new Set(['stop_hook_summary', 'turn_duration']);

/**
 * Reads the lines of one conversation as entries, in the order of the file.
 *
 * @example
 * const thread = createThread({ weaver, whose: 'person', warnings, tally, onCall: () => {} });
 * yield* thread.take(line);
 */
export function createThreadReader({
  builder,
  whose,
  warnings,
  skips,
  onCall,
}: {
  readonly builder: LogBuilder;
  readonly whose: Whose;
  readonly warnings: WarningList;
  readonly skips: SkipCounter;
  readonly onCall: (part: Part) => void;
}): ThreadReader {
  const places = new Map<string, ThreadPosition>();
  /** The tools whose results are still to come. */
  const names = new Map<string, string>();
  /** Messages of the API whose usage is in the log. */
  const counted = new Set<string>();
  const restOf = createRest();
  const notesOf = createNotes({ skips, restOf, isHere: (uuid) => places.has(uuid) });
  let open: Open | undefined;
  let boundary: Boundary | undefined;
  return { take, settle: () => settle({ isUnfinished: false }), end };

  function* take(line: TranscriptLine): Generator<Entry> {
    const { raw } = line;
    const uuid = uuidOf(raw);
    if (uuid !== undefined && places.has(uuid)) {
      skips.skip('repeated lines');
      return;
    }
    const speaks = isObject(raw.message) ? raw.type : undefined;
    if (speaks === 'assistant' && raw.isApiErrorMessage !== true) yield* answered(line);
    else if (speaks === 'user' && raw.isCompactSummary === true) yield* summarized(line);
    else if (speaks === 'user' && raw.isVisibleInTranscriptOnly !== true) yield* said(line);
    else if (raw.type === 'attachment') yield* attached(line);
    else if (raw.type === 'system') yield* systemLine(line);
    else yield* noted(line);
  }

  function* end(): Generator<Entry> {
    yield* settle({ isUnfinished: true });
    if (!boundary) return;
    // Its summary may come when the file grows. A note is not in the way of that, as entries would be.
    const { line, after } = boundary;
    const message = `The file ends before the summary of a compaction; ${after.length} attachments behind it wait for it.`;
    warn({ line, code: 'no-summary', message });
    yield* note(line);
  }

  function* answered(line: TranscriptLine): Generator<Entry> {
    const parent = parentOf(line);
    const { id } = messageOf(line.raw);
    const goesOn = open && parent === open.place && id !== undefined && id === open.answer.id;
    if (!open || !goesOn) {
      yield* settle({ isUnfinished: false });
      yield* compactWithoutSummary();
      yield* moveTo({ place: parent, at: line.at });
      open = { ...pending(parent), answer: openAnswer({ line, restOf }), results: [] };
    }
    for (const part of open.answer.add(line)) {
      if (part.type === 'tool_call') names.set(part.id, part.name);
      onCall(part);
    }
    yield* hold({ line, by: open });
  }

  function* said(line: TranscriptLine): Generator<Entry> {
    const { raw, at } = line;
    const { results, said: spoken, calls, isSpoken } = readUser({ raw, whose, restOf, names });
    for (const call of calls) names.delete(call);
    if (raw.toolUseResult !== undefined) skips.skip('copies of tool results for the screen');
    const parent = parentOf(line);
    const isBehind = parent === open?.place || calls.some((call) => open?.answer.calls.has(call));
    // What the client says between results (the text of a skill) does not end an answer that calls tools.
    if (open && isBehind && (results.length > 0 || (!isSpoken && open.answer.calls.size > 0))) {
      open.results.push({ drafts: results, at });
      open.after.push({ drafts: spoken, at });
      yield* hold({ line, by: open });
      if (isSpoken) yield* settle({ isUnfinished: false });
      return;
    }
    yield* settle({ isUnfinished: false });
    yield* compactWithoutSummary();
    const place = results.length > 0 ? parent : positionAt(parent.node);
    remember({ raw, place });
    yield* put({ place, drafts: [...results, ...spoken], at });
  }

  function* attached(line: TranscriptLine): Generator<Entry> {
    const { raw, at } = line;
    const draft = readAttachment({ raw, whose, restOf });
    if (!draft) {
      yield* noted(line);
      return;
    }
    const place = parentOf(line);
    const isCalling = open !== undefined && open.answer.calls.size > 0;
    const by = [isCalling ? open : undefined, boundary].find((held) => held?.place === place);
    if (by) {
      by.after.push({ drafts: [draft], at });
      yield* hold({ line, by });
      return;
    }
    remember({ raw, place });
    yield* settle({ isUnfinished: false });
    yield* put({ place, drafts: [draft], at });
  }

  function* systemLine(line: TranscriptLine): Generator<Entry> {
    const { raw } = line;
    if (raw.subtype === 'compact_boundary') {
      yield* settle({ isUnfinished: false });
      yield* compactWithoutSummary();
      boundary = { ...pending(parentOf(line)), line };
      remember({ raw, place: boundary.place });
    } else if (raw.subtype === 'local_command' && typeof raw.content === 'string') {
      // Older versions write the same text in a `user` line.
      const { content, ...rest } = raw;
      yield* said({ ...line, raw: { ...rest, isMeta: true, message: { role: 'user', content } } });
    } else {
      yield* noted(line);
    }
  }

  /** A line that is not sent to the model. The lines after it attach to its parent. */
  function* noted(line: TranscriptLine): Generator<Entry> {
    const { raw } = line;
    if (raw.isApiErrorMessage === true || turnEnds.has(raw.subtype)) yield* settle({ isUnfinished: false });
    if (uuidOf(raw) !== undefined) remember({ raw, place: parentOf(line) });
    yield* note(line);
  }

  function* note({ raw, at }: TranscriptLine): Generator<Entry> {
    for (const draft of notesOf(raw)) yield* builder.append({ draft, at });
  }

  function* summarized(line: TranscriptLine): Generator<Entry> {
    yield* settle({ isUnfinished: false });
    const { raw, at } = line;
    // Old versions write no boundary, and begin anew with the summary.
    const parent = typeof raw.parentUuid === 'string' ? parentOf(line) : positionAt(builder.leaf);
    yield* compact({ ...(boundary ?? pending(parent)), summary: raw, at });
  }

  function* compactWithoutSummary(): Generator<Entry> {
    if (!boundary) return;
    warn({ line: boundary.line, code: 'no-summary', message: 'A compaction has no summary; what it kept is kept.' });
    yield* compact({ ...boundary, at: boundary.line.at });
  }

  function* compact({
    line,
    summary,
    at,
    parent,
    place,
    after,
  }: PendingItem & {
    readonly line?: TranscriptLine;
    readonly summary?: JsonObject;
    readonly at: number;
  }): Generator<Entry> {
    boundary = undefined;
    const kept = preservedOf(line?.raw);
    const first = (kept && places.get(kept.head)?.first) ?? null;
    const last = (kept && places.get(kept.tail)?.node) ?? null;
    const draft = compactionDraft({ boundary: line?.raw, summary, firstKeptId: first });
    place.node = parent.node;
    yield* put({ place, drafts: [draft], at });
    const items = between({ items: builder.items(), first, last });
    const isSummaryLast = line !== undefined && kept?.anchor === uuidOf(line.raw);
    yield* put({ place, drafts: [compactionEpoch({ summary: draft.summary, kept: items, isSummaryLast })], at });
    if (summary) remember({ raw: summary, place });
    // What goes on from the last line that was kept goes on behind the summary.
    if (kept) places.set(kept.tail, place);
    for (const waiting of after) yield* put({ place, ...waiting });
  }

  /** Tells the answer, its results and what has come behind them. */
  function* settle({ isUnfinished }: { readonly isUnfinished: boolean }): Generator<Entry> {
    if (!open) return;
    const { answer, parent, place, results, after } = open;
    open = undefined;
    const { message, usage } = answer.drafts({ isUnfinished });
    place.node = parent.node;
    yield* put({ place, drafts: [message], at: answer.at });
    if (usage && place.first !== null && !counted.has(answer.id ?? '')) {
      yield* builder.append({ draft: { ...usage, target: place.first }, at: answer.at });
    }
    if (answer.id !== undefined) counted.add(answer.id);
    for (const waiting of [...results, ...after]) yield* put({ place, ...waiting });
  }

  function* hold({ line, by }: { readonly line: TranscriptLine; readonly by: PendingItem }): Generator<Entry> {
    remember({ raw: line.raw, place: by.place });
    by.bytes += line.bytes;
    if (by.bytes <= maxQueuedBytes) return;
    yield* settle({ isUnfinished: false });
    yield* compactWithoutSummary();
  }

  function* put({ place, drafts, at }: QueuedDrafts & { readonly place: ThreadPosition }): Generator<Entry> {
    for (const draft of drafts) {
      const entries = builder.append({ draft, at, parent: place.node });
      place.node = entries.at(-1)?.id ?? place.node;
      place.first ??= place.node;
      yield* entries;
    }
  }

  /** Moves the leaf before an answer is collected, so that notes that arrive meanwhile follow the move in every case. */
  function* moveTo({ place: { node }, at }: { readonly place: ThreadPosition; readonly at: number }): Generator<Entry> {
    if (node !== builder.leaf) yield* builder.append({ draft: { type: 'leaf', target: node, reason: 'move' }, at });
  }

  /** A boundary has no parent; the line before it is its logical one, which is not always written. */
  function parentOf(line: TranscriptLine): ThreadPosition {
    const { parentUuid, logicalParentUuid: logical } = line.raw;
    const place = [logical, parentUuid].flatMap((uuid) =>
      typeof uuid === 'string' ? (places.get(uuid) ?? []) : [],
    )[0];
    if (place) return place;
    if (parentUuid === null && logical === undefined) return positionAt(null);
    if (typeof parentUuid === 'string') {
      const message = `The parent ${parentUuid} is not before it; it was put after the line before.`;
      warn({ line, code: 'missing-parent', message });
    }
    return (open ?? boundary)?.place ?? positionAt(builder.leaf);
  }

  function remember({ raw, place }: { readonly raw: JsonObject; readonly place: ThreadPosition }): void {
    const uuid = uuidOf(raw);
    if (uuid !== undefined) places.set(uuid, place);
  }

  function warn({
    line,
    code,
    message,
  }: {
    readonly line: TranscriptLine;
    readonly code: string;
    readonly message: string;
  }): void {
    warnings.add({ code, message, line: line.number });
  }
}

function pending(parent: ThreadPosition): PendingItem {
  return { parent, place: positionAt(null), after: [], bytes: 0 };
}

/**
 * The position of lines in the log. The lines of an answer, its results and its attachments share one position that
 * advances with them: a line that names any of them as its parent is appended after all of them. Results of parallel
 * calls, each a child of the line of its call, therefore form no branches.
 */
interface ThreadPosition {
  /** The first entry that was made of them. */
  first: EntryId | null;
  /** The last node of these lines; before the first one, the node they will be appended to. */
  node: EntryId | null;
}

/** A place behind a node, in which nothing was made yet. */
function positionAt(node: EntryId | null): ThreadPosition {
  return { first: null, node };
}

/** The drafts of a `user` line: tool results, then the text that accompanies them. */
interface ReadUser {
  readonly results: readonly Draft[];
  readonly said: readonly Draft[];
  /** The calls that are answered. */
  readonly calls: readonly string[];
  /** Whether anybody but the client speaks, which ends the answer before. */
  readonly isSpoken: boolean;
}

/**
 * Reads a `user` line: a prompt, results of tools, or what the client says in the user's role.
 *
 * @example
 * readUser({ raw, whose: 'person', restOf, names: new Map() }).said;
 */
function readUser({
  raw,
  whose,
  restOf,
  names,
}: {
  readonly raw: JsonObject;
  readonly whose: Whose;
  readonly restOf: Rest;
  /** The tools whose results are still to come, by the id of the call. */
  readonly names: ReadonlyMap<string, string>;
}): ReadUser {
  const speaker = speakerOf({ raw, whose });
  const { results, said } = readUserContent({ content: messageOf(raw).content, speaker });
  const details = detailsOf({ ...restOf(raw), ...agentOf(raw) });
  const hasResults = results.length > 0;
  const named = results.map((result): ToolResultPart => {
    const name = names.get(result.callId);
    return name === undefined ? result : { ...result, name };
  });
  return {
    results: hasResults ? [message({ role: 'tool', parts: named, details })] : [],
    said:
      said.length > 0 || !hasResults
        ? [message({ role: 'user', parts: said, details: hasResults ? {} : details })]
        : [],
    calls: results.map(({ callId }) => callId),
    isSpoken: said.some(({ origin }) => origin === 'human' || origin === 'model'),
  };
}

function message({
  role,
  parts,
  details,
}: {
  readonly role: 'user' | 'tool';
  readonly parts: readonly Part[];
  readonly details: { readonly details?: JsonObject };
}): Draft {
  return { type: 'message', message: { role, parts }, ...details };
}

/** The copy of a result for the screen names the sub-agent that made it, whose lines are in a file of their own. */
function agentOf({ toolUseResult: copy }: JsonObject): JsonObject {
  return isObject(copy) && typeof copy.agentId === 'string' ? { agentId: copy.agentId } : {};
}
