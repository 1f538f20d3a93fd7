import { isArray, isObject, type Json, type JsonObject, safeString, without } from '../../json.ts';
import type { Draft, Entry } from '../../session/index.ts';
import type { DocumentFormat, LinesFormat } from '../format.ts';
import { createChain, digestOf } from '../ids.ts';
import type { FileRecord } from '../lines/read-records.ts';
import { createLogBuilder, type LogBuilder } from '../log-builder.ts';
import type { ParsedSession } from '../parsed-session.ts';
import { createSkipCounter } from '../skip-counter.ts';
import { readTime } from '../time.ts';
import type { WarningList } from '../warnings.ts';
import { partsOf, readResult } from './content.ts';
import { createGeminiConversation, type Patch } from './conversation.ts';
import { type GeminiTurn, mayGrow, promptTokens, readTurn } from './turn.ts';

const kinds: ReadonlySet<unknown> = new Set(['user', 'gemini', 'info', 'error', 'warning']);

/** A session of Gemini CLI with a record a line: messages, and changes of what came before. */
export const geminiLines: LinesFormat = {
  kind: 'lines',
  name: 'gemini-cli',
  isRecord: (value) => isHeader(value) || isChange(value) || isMessage(value),
  read: ({ first, records, warnings }) => readGemini({ header: first.value, records, warnings }),
};

/** A session of Gemini CLI as older versions wrote it: one object, written anew with every message. */
export const geminiDocument: DocumentFormat = {
  kind: 'document',
  name: 'gemini-cli',
  isDocument: (value) => isObject(value) && isGeminiHeader(value) && isArray(value.messages),
  read: ({ value, warnings }) => {
    const header = isObject(value) ? value : {};
    return readGemini({ header, records: recordsOf(value), warnings });
  },
};

/** The header of a file of lines; a document of one line looks like it, but has its messages inside. */
function isHeader(value: JsonObject): boolean {
  return isGeminiHeader(value) && value.messages === undefined;
}

function isChange(value: JsonObject): boolean {
  return isObject(value.$set) || isObject(value.$patch) || typeof value.$rewindTo === 'string';
}

function isMessage(value: JsonObject): boolean {
  const isStamped = typeof value.id === 'string' && typeof value.timestamp === 'string';
  return isStamped && kinds.has(value.type) && value.content !== undefined && value.parentId === undefined;
}

async function* recordsOf(value: Json): AsyncGenerator<{ readonly value: JsonObject; readonly line: number }> {
  if (isObject(value)) yield { value, line: 1 };
}

/** Whether a record says which session it is. */
function isGeminiHeader(value: JsonObject): boolean {
  return typeof value.sessionId === 'string' && typeof value.projectHash === 'string' && value.type === undefined;
}

/**
 * A session of Gemini CLI. Where the header is gone, the first record names the session.
 *
 * @example
 * const reading = readGemini({ header: first.value, records, warnings });
 */
function readGemini({
  header,
  records,
  warnings,
}: {
  /** The first record, which is a header unless that is lost. */
  readonly header: JsonObject;
  /** All records, the first included. */
  readonly records: AsyncIterable<Pick<FileRecord, 'value' | 'line'>>;
  readonly warnings: WarningList;
}): ParsedSession {
  const { sessionId } = header;
  const isWhole = isGeminiHeader(header);
  if (!isWhole) {
    const message = 'The header is missing; the session was taken from its records.';
    warnings.add({ code: 'half-a-header', message, line: 1 });
  }
  const key = typeof sessionId === 'string' ? sessionId : `records:${digestOf(header)}`;
  const createdAt = readTime(header.startTime) ?? readTime(header.timestamp);
  const kept = isWhole ? without(header, ['sessionId', 'startTime', 'lastUpdated', 'messages', 'summary']) : undefined;
  const cwd = header.kind === 'subagent' && isArray(header.directories) ? header.directories[0] : undefined;
  return {
    format: 'gemini-cli',
    key,
    header: {
      // A sub-agent's first folder is where it works; a main session lists only those that were added to it.
      ...(typeof cwd === 'string' && { cwd }),
      ...(createdAt !== undefined && { createdAt }),
      ...(kept && { details: { 'gemini-cli': kept } }),
    },
    entries: ({ createdAt: startedAt }) => {
      const builder = createLogBuilder({ idOf: createChain({ seed: `gemini-cli\n${key}` }) });
      return readGeminiEntries({ records, builder, warnings, startedAt });
    },
  };
}

/**
 * The entries of a session of Gemini CLI. An answer is written again under its id when its calls have run, so the newest
 * one waits until something follows it.
 *
 * @example
 * for await (const entry of readGeminiEntries({ records, weaver, warnings, startedAt: 0 })) { … }
 */
async function* readGeminiEntries({
  records,
  builder,
  warnings,
  startedAt,
}: {
  /** What follows the header. */
  readonly records: AsyncIterable<Pick<FileRecord, 'value' | 'line'>>;
  readonly builder: LogBuilder;
  readonly warnings: WarningList;
  /** The time of entries that have none before any that has. */
  readonly startedAt: number;
}): AsyncGenerator<Entry> {
  const skips = createSkipCounter({ warnings });
  const conversation = createGeminiConversation({ builder });
  const counted = new Set<string>();
  let waiting: { readonly id: string; readonly record: JsonObject; readonly at: number } | undefined;
  let at = startedAt;
  let tokens = 0;
  let line = 0;

  for await (const { value, line: number } of records) {
    line = number;
    yield* read(value);
  }
  if (waiting) yield* flush({ isLast: true });
  skips.report();

  function* read(record: JsonObject): Generator<Entry> {
    if (typeof record.$rewindTo === 'string') {
      yield* flush();
      yield* rewind(record.$rewindTo);
    } else if (isObject(record.$patch)) {
      yield* flush();
      yield* conversation.patch({ patch: patchOf(record.$patch), at, tokens });
    } else if (isObject(record.$set)) {
      yield* set(record.$set);
    } else if (typeof record.id === 'string') {
      at = readTime(record.timestamp) ?? at;
      yield* say({ record, id: record.id });
    } else if (typeof record.sessionId === 'string') {
      yield* head(record);
    } else {
      yield* note({ type: 'unknown', kind: 'gemini-cli:record', value: record });
    }
  }

  function* say({ record, id }: { readonly record: JsonObject; readonly id: string }): Generator<Entry> {
    if (waiting?.id !== id) yield* flush();
    if (record.type === 'gemini') {
      waiting = { id, record, at: waiting?.at ?? at };
      return;
    }
    const turn = readTurn({ record, id, isAnswered: conversation.isAnswered });
    yield* conversation.put({ turn, at });
    if (turn.lines.length > 0) return;
    if (record.type !== 'user') yield* aside(record);
    else if (partsOf(record.content).some((part) => part.functionResponse)) skips.skip('second copies of results');
  }

  /** The newest answer is as it will stay, unless the file ends with it. */
  function* flush({ isLast = false } = {}): Generator<Entry> {
    if (!waiting) return;
    const { id, record, at: time } = waiting;
    waiting = undefined;
    const read = readTurn({ record, id, isAnswered: conversation.isAnswered });
    const turn = isLast && mayGrow(record) ? unfinished(read) : read;
    const entries = conversation.put({ turn, at: time });
    yield* entries;
    tokens = promptTokens(record) || tokens;
    for (const call of isArray(record.toolCalls) ? record.toolCalls : []) {
      if (isObject(call) && call.resultDisplay !== undefined) skips.skip('copies of tool results for the screen');
    }
    if (!turn.usage || counted.has(id)) return;
    counted.add(id);
    const target = entries.find((entry) => entry.type === 'message' && entry.message.role === 'assistant')?.id;
    // Last, so that a count that comes late changes nothing before it.
    yield* builder.append({ draft: { ...turn.usage, ...(target !== undefined && { target }) }, at: time });
  }

  /** A note. An answer that is complete is appended before it, as it would be if the file ended there. */
  function* note(draft: Draft): Generator<Entry> {
    if (waiting && !mayGrow(waiting.record)) yield* flush();
    yield* builder.append({ draft, at });
  }

  /** What is for the screen only, and kinds that are newer than this. */
  function* aside(record: JsonObject): Generator<Entry> {
    const kind = `gemini-cli:${safeString(record.type)}`;
    const value = without(record, ['id', 'type', 'timestamp']) ?? {};
    const isKnown = record.type === 'info' || record.type === 'error' || record.type === 'warning';
    yield* builder.append({
      draft: isKnown ? { type: 'custom', customType: kind, data: value } : { type: 'unknown', kind, value },
      at,
    });
  }

  function* rewind(id: string): Generator<Entry> {
    if (conversation.isModel(id) === undefined) {
      const message = `It goes back to ${id}, which is not there; as in Gemini CLI, the conversation begins anew.`;
      warnings.add({ code: 'missing-parent', message, line });
    }
    yield* conversation.rewind({ id, at });
  }

  function* set(members: JsonObject): Generator<Entry> {
    at = readTime(members.lastUpdated) ?? at;
    if (isArray(members.messages)) {
      yield* flush();
      yield* conversation.install({ turns: turnsOf(members.messages), at, tokens });
    }
    if (typeof members.summary === 'string') {
      yield* note({ type: 'session_info', info: { name: members.summary } });
    }
    const data = without(members, ['sessionId', 'lastUpdated', 'messages', 'summary']);
    if (data) yield* note({ type: 'custom', customType: 'gemini-cli:set', data });
  }

  /** A header, which the session already has; documents have their messages in it. */
  function* head({ messages, summary }: JsonObject): Generator<Entry> {
    for (const message of isArray(messages) ? messages : []) if (isObject(message)) yield* read(message);
    yield* set({ summary });
  }

  function turnsOf(messages: readonly Json[]): GeminiTurn[] {
    const answered = new Set<string>();
    return messages.flatMap((record) => {
      if (!isObject(record) || typeof record.id !== 'string') return [];
      const turn = readTurn({ record, id: record.id, isAnswered: (callId) => answered.has(callId) });
      for (const { message } of turn.lines) {
        for (const part of message.parts) if (part.type === 'tool_result') answered.add(part.callId);
      }
      return [turn];
    });
  }

  function patchOf(patch: JsonObject): Patch {
    const updates = [patch, ...(isArray(patch.updates) ? patch.updates : [])].flatMap(updateOf);
    return { updates, removed: new Set(strings(patch.removeIds)), order: strings(patch.orderIds) };
  }

  function updateOf(update: Json): GeminiTurn[] {
    if (!isObject(update) || typeof update.id !== 'string') return [];
    const { id, content, toolCalls } = update;
    const isModel = conversation.isModel(id) ?? false;
    const record = { type: isModel ? 'gemini' : 'user', content };
    const said = content === undefined ? undefined : readTurn({ record, id, isAnswered: () => false });
    const results = (isArray(toolCalls) ? toolCalls : []).flatMap((call) => {
      if (!isObject(call) || typeof call.id !== 'string') return [];
      const part = readResult({ callId: call.id, name: undefined, result: partsOf(call.result), isError: false });
      return [{ message: { role: 'tool', parts: [part] } } as const];
    });
    return [{ id, isModel, lines: [...(said?.lines ?? []), ...results] }];
  }
}

function unfinished(turn: GeminiTurn): GeminiTurn {
  const lines = turn.lines.map((line) =>
    line.message.role === 'assistant' ? { ...line, details: { ...line.details, unfinished: true } } : line,
  );
  return { ...turn, lines };
}

function strings(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
