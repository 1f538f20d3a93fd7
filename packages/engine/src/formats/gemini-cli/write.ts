import { createHash } from 'node:crypto';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { codecs, type Message, type ToolCallPart, type ToolResultPart, user } from '../../message/index.ts';
import { type ResumableMessage, resumableOf } from '../export/resumable.ts';
import type { ExportSource } from '../export/source.ts';
import { isoTime } from '../time.ts';

/**
 * A session as a chat of Gemini CLI: `gemini --resume ID` opens it. After a compaction the list of messages is replaced
 * by the summary and what is sent after it; the messages before stay in the file.
 *
 * @example
 * for await (const line of writeGeminiCli(source)) stream.write(`${JSON.stringify(line)}\n`);
 */
export async function* writeGeminiCli(source: ExportSource): AsyncGenerator<JsonObject> {
  const session = await resumableOf({ source, agent: 'gemini-cli', dialect: 'gemini' });
  const { id, cwd, createdAt, updatedAt, name, compaction, current } = session;
  const projectHash = createHash('sha256').update(cwd).digest('hex');
  const times = { startTime: isoTime(createdAt), lastUpdated: isoTime(updatedAt) };
  yield { sessionId: id, projectHash, ...times, kind: 'main', ...(name !== '' && { summary: name }) };
  const records = createRecords();
  for await (const message of session.earlier) yield* records.take(message);
  yield* records.end();
  const sent = [
    ...(compaction && compaction.summary !== ''
      ? [{ id: compaction.summaryId, at: compaction.at, message: summaryMessage(compaction.summary) }]
      : []),
    ...current,
  ];
  const list = [...sent.flatMap((message) => [...records.take(message)]), ...records.end()];
  if (compaction) yield { $set: { messages: list, lastUpdated: isoTime(updatedAt) } };
  else yield* list;
}

function summaryMessage(summary: string): Message {
  return user(summary, { origin: 'engine' });
}

/** Collects an answer, its calls and their results: Gemini CLI stores them in one record. */
interface Records {
  readonly take: (message: ResumableMessage) => Generator<JsonObject>;
  /** The record that is still being collected. */
  readonly end: () => Generator<JsonObject>;
}

interface OpenAnswer {
  readonly said: ResumableMessage;
  readonly results: ToolResultPart[];
}

function createRecords(): Records {
  let open: OpenAnswer | undefined;
  return { take, end };

  function* take(said: ResumableMessage): Generator<JsonObject> {
    const { message } = said;
    const results = message.parts.filter((part) => part.type === 'tool_result');
    open?.results.push(...results);
    const others = message.parts.filter((part) => part.type !== 'tool_result');
    if (others.length === 0) return;
    yield* end();
    if (message.role === 'assistant') open = { said, results: [] };
    else yield userRecord({ ...said, message: { ...message, parts: others } });
  }

  function* end(): Generator<JsonObject> {
    if (open) yield answerRecord(open);
    open = undefined;
  }
}

function userRecord({ id, at, message }: ResumableMessage): JsonObject {
  const content = codecs.gemini.encode([message]).flatMap((item) => (isObject(item) ? (item.parts ?? []) : []));
  return { id, timestamp: isoTime(at), type: 'user', content };
}

function answerRecord({ said: { id, at, by, message }, results }: OpenAnswer): JsonObject {
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const calls = message.parts.filter((part) => part.type === 'tool_call');
  const record = { id, timestamp: isoTime(at), type: 'gemini', content: texts.join('\n'), thoughts: [], tokens: null };
  const toolCalls = calls.map((call) => callRecord({ call, at, result: resultOf({ call, results }) }));
  return { ...record, ...(by && { model: by.name }), ...(calls.length > 0 && { toolCalls }) };
}

function resultOf({
  call,
  results,
}: {
  readonly call: ToolCallPart;
  readonly results: readonly ToolResultPart[];
}): ToolResultPart | undefined {
  return results.find(({ callId }) => callId === call.id);
}

function callRecord({
  call: { id, name, arguments: text },
  result,
  at,
}: {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart | undefined;
  readonly at: number;
}): JsonObject {
  const input = parseJson(text);
  const args = isObject(input) ? input : { input: text };
  const facts = { id, name, args, timestamp: isoTime(at) };
  if (!result) return { ...facts, status: 'cancelled' };
  const output = result.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const response = result.isError ? { error: output } : { output };
  const status = result.isError ? 'error' : 'success';
  return { ...facts, status, result: [{ functionResponse: { id, name, response } }] };
}
