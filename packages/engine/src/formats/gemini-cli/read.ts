import { isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Draft, Entry } from '../../session/index.ts';
import type { FileRecord } from '../lines/read-records.ts';
import type { Weaver } from '../log-builder.ts';
import type { WarningList } from '../report.ts';
import { createTally } from '../tally.ts';
import { readTime } from '../time.ts';
import { partsOf, readResult } from './content.ts';
import { createConversation, type Patch } from './conversation.ts';
import { mayGrow, promptTokens, readTurn, type Turn } from './turn.ts';

/**
 * The entries of a session of Gemini CLI. An answer is written again under its id when its calls have run, so the newest
 * one waits until something follows it.
 *
 * @example
 * for await (const entry of readGeminiEntries({ records, weaver, warnings, startedAt: 0 })) { … }
 */
export async function* readGeminiEntries({
  records,
  weaver,
  warnings,
  startedAt,
}: {
  /** What follows the header. */
  readonly records: AsyncIterable<Pick<FileRecord, 'value' | 'line'>>;
  readonly weaver: Weaver;
  readonly warnings: WarningList;
  /** The time of entries that have none before any that has. */
  readonly startedAt: number;
}): AsyncGenerator<Entry> {
  const tally = createTally({ warnings });
  const conversation = createConversation({ weaver });
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
  tally.report();

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
    else if (partsOf(record.content).some((part) => part.functionResponse)) tally.leftOut('second copies of results');
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
      if (isObject(call) && call.resultDisplay !== undefined) tally.leftOut('copies of tool results for the screen');
    }
    if (!turn.usage || counted.has(id)) return;
    counted.add(id);
    const target = entries.find((entry) => entry.type === 'message' && entry.message.role === 'assistant')?.id;
    // Last, so that a count that comes late changes nothing before it.
    yield* weaver.append({ draft: { ...turn.usage, ...(target !== undefined && { target }) }, at: time });
  }

  /** Something beside the conversation. An answer that is done stands before it, as it did when the file ended there. */
  function* note(draft: Draft): Generator<Entry> {
    if (waiting && !mayGrow(waiting.record)) yield* flush();
    yield* weaver.append({ draft, at });
  }

  /** What is for the screen only, and kinds that are newer than this. */
  function* aside(record: JsonObject): Generator<Entry> {
    const kind = `gemini-cli:${String(record.type)}`;
    const value = without(record, ['id', 'type', 'timestamp']) ?? {};
    const isKnown = record.type === 'info' || record.type === 'error' || record.type === 'warning';
    yield* weaver.append({
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

  function turnsOf(messages: readonly Json[]): Turn[] {
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

  function updateOf(update: Json): Turn[] {
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

function unfinished(turn: Turn): Turn {
  const lines = turn.lines.map((line) =>
    line.message.role === 'assistant' ? { ...line, details: { ...line.details, unfinished: true } } : line,
  );
  return { ...turn, lines };
}

function strings(value: Json | undefined): string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
