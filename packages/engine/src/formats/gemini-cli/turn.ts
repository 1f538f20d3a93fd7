import { canonical, isArray, isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import type { Draft, ModelName, UsageEntry } from '../../session/index.ts';
import { detailsUnder } from '../details.ts';
import { readTime } from '../time.ts';
import { amount, usageNote } from '../usage.ts';
import { partsOf, readModel, readResult, readUser, textOf } from './content.ts';

/** A message of a record, on its way into the log. */
export interface TurnMessage {
  readonly message: Message;
  readonly at?: number;
  readonly by?: ModelName;
  readonly details?: JsonObject;
}

/** A record of Gemini CLI: what a person said, or an answer with its calls and what the tools returned. */
export interface GeminiTurn {
  readonly id: string;
  readonly isModel: boolean;
  readonly lines: readonly TurnMessage[];
  readonly usage?: Draft<UsageEntry>;
}

const ended: ReadonlySet<unknown> = new Set(['success', 'error', 'cancelled']);

/**
 * Reads a record; one that the model never sees has no lines. Newer versions write what a tool returned twice, with the
 * call and in a record of the user: `isAnswered` tells which calls have a result already.
 *
 * @example
 * readTurn({ record: { id: 'a', type: 'user', content: 'Fix the build.' }, id: 'a', isAnswered: () => false });
 */
export function readTurn({
  record,
  id,
  isAnswered,
}: {
  readonly record: JsonObject;
  readonly id: string;
  readonly isAnswered: (callId: string) => boolean;
}): GeminiTurn {
  switch (record.type) {
    case 'user':
      return { id, isModel: false, lines: userLines({ record, id, isAnswered }) };
    case 'gemini':
      return modelTurn({ record, id });
    case 'info':
      return { id, isModel: false, lines: binaryLines({ record, id }) };
    default:
      return { id, isModel: false, lines: [] };
  }
}

/** Whether an answer may still be written again: as long as it has no calls, or one of them runs. */
export function mayGrow(record: JsonObject): boolean {
  const calls = callsOf(record);
  return record.type === 'gemini' && (calls.length === 0 || calls.some(({ status }) => !ended.has(status)));
}

/** The tokens of the prompt that an answer was given to. */
export function promptTokens({ tokens }: JsonObject): number {
  return isObject(tokens) ? amount(tokens.input) : 0;
}

function userLines({
  record,
  id,
  isAnswered,
}: {
  readonly record: JsonObject;
  readonly id: string;
  readonly isAnswered: (callId: string) => boolean;
}): TurnMessage[] {
  const groups = grouped({ content: partsOf(record.content), id });
  const isNews = ({ callId }: PartGroup) => callId !== undefined && !isAnswered(callId);
  const results = groups.filter(isNews).map(({ callId = '', parts: result }): TurnMessage => {
    const part = readResult({ callId, name: undefined, result, isError: false });
    return { message: { role: 'tool', parts: [part] }, ...detailsOf({ id }) };
  });
  // A file behind an answer that is known is known with it; words may be of anybody.
  const content = groups
    .filter((group) => !isNews(group))
    .flatMap(({ callId, parts }) => parts.filter((part) => callId === undefined || typeof part.text === 'string'));
  const parts = readUser({ content, shown: record.displayContent });
  if (parts.length === 0) return results;
  const shown = without(record, ['id', 'type', 'timestamp', 'content']);
  return [...results, { message: { role: 'user', parts }, ...detailsOf({ id, ...shown }) }];
}

/** The response to a call with the parts after it; parts before the first response have no call. */
interface PartGroup {
  readonly callId?: string;
  readonly parts: JsonObject[];
}

function grouped({ content, id }: { readonly content: readonly JsonObject[]; readonly id: string }): PartGroup[] {
  const groups: PartGroup[] = [{ parts: [] }];
  content.forEach((part, index) => {
    const { functionResponse: answer } = part;
    if (isObject(answer))
      groups.push({ callId: typeof answer.id === 'string' ? answer.id : `${id}:${index}`, parts: [] });
    groups.at(-1)?.parts.push(part);
  });
  return groups;
}

/** Files that a tool gave stand in a record of kind `info`, whose other contents are for the screen. */
function binaryLines({ record, id }: { readonly record: JsonObject; readonly id: string }): TurnMessage[] {
  const content = partsOf(record.content);
  if (!content.some((part) => isObject(part.inlineData) || isObject(part.fileData))) return [];
  const parts = readUser({ content }).map((part): Part => ({ ...part, origin: 'tool' }));
  return [{ message: { role: 'user', parts }, ...detailsOf({ id }) }];
}

function modelTurn({ record, id }: { readonly record: JsonObject; readonly id: string }): GeminiTurn {
  const thoughts = isArray(record.thoughts) ? record.thoughts.flatMap(thoughtOf) : [];
  const calls = callsOf(record);
  const content = named({ content: partsOf(record.content), calls, id });
  const written = readModel({ content, hasThoughts: thoughts.length > 0 });
  const there = new Set(written.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])));
  const further = calls.filter((call) => !there.has(call.id)).map(callPart);
  const parts = [...thoughts, ...written, ...further];
  const by = typeof record.model === 'string' ? { provider: 'google', name: record.model } : undefined;
  const rest = without(record, ['id', 'type', 'timestamp', 'content', 'thoughts', 'toolCalls', 'tokens', 'model']);
  const answer: TurnMessage = {
    message: { role: 'assistant', parts },
    ...(by && { by }),
    ...detailsOf({ id, ...rest }),
  };
  const usage = usageOf(record.tokens);
  return {
    id,
    isModel: true,
    lines: [...(parts.length > 0 ? [answer] : []), ...calls.flatMap(resultLine)],
    ...(usage && { usage: { ...usage, ...(by && { model: by }) } }),
  };
}

/** The API lets calls go without an id; the record of the call has one, and else its place makes one. */
function named({
  content,
  calls,
  id,
}: {
  readonly content: readonly JsonObject[];
  readonly calls: readonly GeminiCall[];
  readonly id: string;
}): JsonObject[] {
  const free = [...calls];
  return content.map((part, index) => {
    const { functionCall: call } = part;
    if (!isObject(call)) return part;
    const at = free.findIndex((known) => known.id === call.id || (call.id === undefined && isSame(known, call)));
    const [found] = at < 0 ? [] : free.splice(at, 1);
    return { ...part, functionCall: { ...call, id: call.id ?? found?.id ?? `${id}:${index}` } };
  });
}

function isSame(known: GeminiCall, call: JsonObject): boolean {
  return known.name === call.name && text(known.args) === text(call.args);
}

function text(value: Json | undefined): string {
  return JSON.stringify(canonical(value ?? {}));
}

interface GeminiCall {
  readonly id: string;
  readonly name: string;
  readonly args: Json | undefined;
  readonly status: Json | undefined;
  readonly raw: JsonObject;
}

function callsOf({ toolCalls }: JsonObject): GeminiCall[] {
  return (isArray(toolCalls) ? toolCalls : []).flatMap((raw) => {
    if (!isObject(raw) || typeof raw.id !== 'string' || typeof raw.name !== 'string') return [];
    return [{ id: raw.id, name: raw.name, args: raw.args, status: raw.status, raw }];
  });
}

function callPart({ id, name, args }: GeminiCall): Part {
  return { type: 'tool_call', origin: 'model', id, name, arguments: JSON.stringify(args ?? {}) };
}

/** A call that was cancelled has a result as well: the client tells the model so. */
function resultLine({ id: callId, name, status, raw }: GeminiCall): TurnMessage[] {
  const result = partsOf(raw.result);
  if (result.length === 0) return [];
  const isError = status === 'error' || status === 'cancelled';
  const part = readResult({ callId, name, result, isError });
  const at = readTime(raw.timestamp);
  const { agentId } = raw;
  const kept = { ...(isError && { status }), ...(agentId !== undefined && { agentId }) };
  return [{ message: { role: 'tool', parts: [part] }, ...(at !== undefined && { at }), ...detailsOf(kept) }];
}

/** The API's thoughts come as one text, which the client has cut into a heading and the rest. */
function thoughtOf(thought: Json): Part[] {
  if (!isObject(thought)) return [];
  const { subject, description } = thought;
  const words = typeof description === 'string' ? description : '';
  const heading = typeof subject === 'string' && subject !== '' ? `**${subject}**\n\n` : '';
  const said = `${heading}${words}`.trimEnd();
  return said === '' ? [] : [{ type: 'thinking', origin: 'model', text: said }];
}

/** Thoughts and the prompts of Google's own tools are counted apart. */
function usageOf(tokens: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(tokens)) return undefined;
  const { input, tool, cached: cacheRead, thoughts: reasoning } = tokens;
  const output = amount(tokens.output) + amount(reasoning);
  return usageNote({ prompt: amount(input) + amount(tool), cacheRead, output, reasoning });
}

const detailsOf = detailsUnder('gemini-cli');

/** The summary that a message tells the model in place of what was compressed. */
export function snapshotIn(message: Message): string | undefined {
  if (message.role !== 'user') return undefined;
  const said = textOf(message.parts.map((part) => ({ text: part.type === 'text' ? part.text : undefined })));
  return said.includes('<state_snapshot>') ? said : undefined;
}
