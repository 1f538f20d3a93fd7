import { isArray, isObject, type Json, type JsonObject, safeString, sameJson, without } from '../../json.ts';
import type { ContentPart, Message, Part, ToolResultPart } from '../../message/index.ts';
import type { CustomEntry, CustomMessageEntry, Draft, MessageEntry, UsageEntry } from '../../session/index.ts';
import { detailsUnder } from '../details.ts';
import { amount } from '../usage.ts';
import { type ReadContent, readAnswer, readBlocks, writeBlocks } from './content.ts';

/** The drafts of a pi message; `usage` becomes a note on the answer. */
export type ReadMessage =
  | { readonly draft: Draft<MessageEntry>; readonly usage?: Draft<UsageEntry> }
  | { readonly draft: Draft<CustomMessageEntry> | Draft<CustomEntry> };

/**
 * One message of a pi session; `undefined` for a role that pi does not store or that is newer than this.
 *
 * @example
 * readMessage({ role: 'user', content: 'Fix the build.', timestamp: 1 });
 */
export function readMessage(raw: JsonObject): ReadMessage | undefined {
  switch (raw.role) {
    case 'user':
      return said({ raw, role: 'user', content: readBlocks({ content: raw.content, origin: 'human' }) });
    case 'assistant':
      return answered(raw);
    case 'toolResult':
      return returned(raw);
    case 'bashExecution':
      return ran(raw);
    // Version 2 called it hookMessage.
    case 'custom':
    case 'hookMessage':
      return { draft: readCustomMessage({ raw, known: ['role'] }) };
    case 'system':
      return instructed(raw);
    default:
      return undefined;
  }
}

/** A custom message: as an entry of its own kind, or inside a message entry. */
export function readCustomMessage({
  raw,
  known,
}: {
  readonly raw: JsonObject;
  readonly known: readonly string[];
}): Draft<CustomMessageEntry> {
  const content = readBlocks({ content: raw.content, origin: 'engine' });
  const rest = { ...without(raw, [...known, 'customType', 'content', 'display']), ...formOf(raw, content) };
  return {
    type: 'custom_message',
    customType: typeof raw.customType === 'string' ? raw.customType : 'unknown',
    parts: content.parts,
    display: raw.display !== false,
    ...detailsOf(rest),
  };
}

export const detailsOf = detailsUnder('pi');

function said(input: {
  readonly raw: JsonObject;
  readonly role: Message['role'];
  readonly content: ReadContent<Part>;
}): ReadMessage {
  const { raw, role, content } = input;
  const rest = { ...without(raw, ['role', 'content']), ...formOf(raw, content) };
  return { draft: { type: 'message', message: { role, parts: content.parts }, ...detailsOf(rest) } };
}

function answered(raw: JsonObject): ReadMessage {
  const { provider, model, usage, api } = raw;
  const content = readAnswer({ content: raw.content, api: typeof api === 'string' ? api : String(provider ?? '') });
  const by = typeof provider === 'string' && typeof model === 'string' ? { provider, name: model } : undefined;
  const counted = usageOf(usage);
  const known = ['role', 'content', ...(by ? ['provider', 'model'] : []), ...(counted ? ['usage'] : [])];
  const rest = { ...without(raw, known), ...formOf(raw, content) };
  const message: Message = { role: 'assistant', parts: content.parts };
  return {
    draft: { type: 'message', message, ...(by && { by }), ...detailsOf(rest) },
    ...(counted && { usage: { ...counted, ...(by && { model: by }) } }),
  };
}

/** pi's usage object, as a message or a usage entry carries it. */
export function usageOf(usage: Json | undefined): Draft<UsageEntry> | undefined {
  if (!isObject(usage)) return undefined;
  const [input, output] = [amount(usage.input), amount(usage.output)];
  const [cacheRead, cacheWrite] = [amount(usage.cacheRead), amount(usage.cacheWrite)];
  const sum = input + output + cacheRead + cacheWrite;
  // What pi writes into every usage, and what says nothing more than the counts.
  const redundant = [...(usage.totalTokens === sum ? ['totalTokens'] : []), ...(isFree(usage.cost) ? ['cost'] : [])];
  const rest = without(usage, ['input', 'output', 'cacheRead', 'cacheWrite', ...redundant]) ?? {};
  return { type: 'usage', usage: { input, output, cacheRead, cacheWrite }, ...detailsOf(rest) };
}

function isFree(cost: Json | undefined): boolean {
  return isObject(cost) && Object.values(cost).every((amount) => amount === 0);
}

function returned(raw: JsonObject): ReadMessage | undefined {
  const { toolCallId: callId, toolName: name } = raw;
  if (typeof callId !== 'string') return undefined;
  const content = readBlocks({ content: raw.content, origin: 'tool' });
  const result: Part = {
    type: 'tool_result',
    origin: 'tool',
    callId,
    ...(typeof name === 'string' && { name }),
    content: content.parts,
    ...(raw.isError === true && { isError: true }),
  };
  const known = ['role', 'content', 'toolCallId', 'isError', ...(typeof name === 'string' ? ['toolName'] : [])];
  const rest = { ...without(raw, known), ...formOf(raw, content) };
  return { draft: { type: 'message', message: { role: 'tool', parts: [result] }, ...detailsOf(rest) } };
}

/** A shell command that a person typed: the command is theirs, the output the tool's. */
function ran(raw: JsonObject): ReadMessage {
  // With `!!` in front it is for the person only; the model never sees it.
  if (raw.excludeFromContext === true) {
    return { draft: { type: 'custom', customType: 'pi:bashExecution', data: raw } };
  }
  const output = typeof raw.output === 'string' ? raw.output : '';
  const shown = output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``;
  const parts: ContentPart[] = [
    { type: 'text', origin: 'human', text: `Ran \`${safeString(raw.command ?? '')}\`` },
    { type: 'text', origin: 'tool', text: shown },
    ...notesOf(raw).map((text) => ({ type: 'text', origin: 'engine', text }) as const),
  ];
  const rest = { ...without(raw, ['output']), ...(typeof raw.output !== 'string' && { output: raw.output }) };
  return { draft: { type: 'message', message: { role: 'user', parts }, ...detailsOf(rest) } };
}

function notesOf(raw: JsonObject): string[] {
  const { exitCode, cancelled, truncated, fullOutputPath: path } = raw;
  const failed = typeof exitCode === 'number' && exitCode !== 0 ? [`Command exited with code ${exitCode}`] : [];
  const end = cancelled === true ? ['(command cancelled)'] : failed;
  return truncated === true && typeof path === 'string' ? [...end, `[Output truncated. Full output: ${path}]`] : end;
}

/** The prompt's sections, as newer versions of pi store them; one that only takes sections away says nothing. */
function instructed(raw: JsonObject): ReadMessage {
  const own = readBlocks({ content: raw.content, origin: 'engine' }).parts;
  const sections = isObject(raw.sections) ? Object.values(raw.sections) : [];
  const texts = sections.flatMap((text) =>
    typeof text === 'string' ? [{ type: 'text', origin: 'engine', text } as const] : [],
  );
  const parts = [...own, ...texts].filter((part) => part.type !== 'text' || part.text !== '');
  if (parts.length === 0) return { draft: { type: 'custom', customType: 'pi:system', data: raw } };
  return { draft: { type: 'message', message: { role: 'system', parts }, ...detailsOf({ system: raw }) } };
}

/** How the content was written, where writing the parts again would not give it. */
function formOf(raw: JsonObject, { extra, strange }: ReadContent<Part>): JsonObject {
  if (strange) return { content: raw.content };
  return {
    ...(extra.length > 0 && { blocks: extra }),
    ...(typeof raw.content === 'string' && { form: 'string' }),
    ...(raw.content === null && { form: 'null' }),
  };
}

/** What a message entry becomes in a file of pi: one message or, for several results, several. */
interface WrittenMessage {
  readonly messages: readonly JsonObject[];
  /** Whether reading the messages again gives the entry. */
  readonly whole: boolean;
}

/**
 * A message entry in pi's words.
 *
 * @example
 * const { messages } = writeMessage({ entry, usage: undefined });
 */
export function writeMessage({
  draft,
  at,
  usage,
}: {
  readonly draft: Draft<MessageEntry>;
  readonly at: number;
  /** The usage note that belongs to it. */
  readonly usage: UsageEntry | undefined;
}): WrittenMessage {
  const messages = messagesOf({ draft, at, usage });
  const [only] = messages;
  const read = messages.length === 1 && only ? readMessage(only) : undefined;
  const whole = read?.draft.type === 'message' && sameJson(bare(read.draft, at), bare(draft, at));
  return { messages, whole };
}

/** A custom message in pi's words, without what every entry of pi has. */
export function writeCustomMessage(entry: Draft<CustomMessageEntry>): JsonObject {
  const pi = piOf(entry.details);
  const { blocks: _, form: __, content: ___, ...rest } = pi;
  return {
    customType: entry.customType,
    content: contentOf({ parts: entry.parts, pi }),
    display: entry.display,
    ...rest,
  };
}

/** What pi said beyond our entry, when it came from there. */
export function piOf(details: unknown): JsonObject {
  return isObject(details) && isObject(details.pi) ? details.pi : {};
}

/** pi's usage object. */
export function writeUsage(entry: Draft<UsageEntry> | undefined): JsonObject {
  const { input, output, cacheRead, cacheWrite } = entry?.usage ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const pi = piOf(entry?.details);
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: free,
    ...pi,
  };
}

function messagesOf({
  draft,
  at,
  usage,
}: {
  readonly draft: Draft<MessageEntry>;
  readonly at: number;
  readonly usage: UsageEntry | undefined;
}): JsonObject[] {
  const { message, by } = draft;
  const pi = piOf(draft.details);
  const { blocks: _, form: __, content: ___, system, ...rest } = pi;
  const time = { timestamp: at };
  if (isObject(system)) return [system];
  if (pi.role === 'bashExecution') return [{ ...rest, output: outputOf(message) }];
  const results = message.parts.filter((part) => part.type === 'tool_result');
  const others = message.parts.filter((part) => part.type !== 'tool_result');
  const returned = results.map((result) => ({ ...resultOf({ result, pi }), ...time, ...rest }));
  if (others.length === 0 && results.length > 0) return returned;
  const content = contentOf({ parts: others, pi });
  if (message.role !== 'assistant') {
    return [...returned, { role: message.role === 'system' ? 'system' : 'user', content, ...time, ...rest }];
  }
  const model = by ?? { provider: 'unknown', name: 'unknown' };
  const calls = message.parts.some((part) => part.type === 'tool_call');
  return [
    {
      role: 'assistant',
      content,
      api: apiOf({ provider: model.provider }),
      provider: model.provider,
      model: model.name,
      usage: writeUsage(usage),
      stopReason: calls ? 'toolUse' : 'stop',
      ...time,
      ...rest,
    },
  ];
}

function resultOf({ result, pi }: { readonly result: ToolResultPart; readonly pi: JsonObject }): JsonObject {
  return {
    role: 'toolResult',
    toolCallId: result.callId,
    toolName: result.name ?? 'unknown',
    content: contentOf({ parts: result.content, pi }),
    isError: result.isError === true,
  };
}

function contentOf({ parts, pi }: { readonly parts: readonly Part[]; readonly pi: JsonObject }): JsonObject['content'] {
  if (pi.content !== undefined) return pi.content;
  if (pi.form === 'null') return null;
  const [first] = parts;
  if (pi.form === 'string' && parts.length === 1 && first?.type === 'text') return first.text;
  const extra = isArray(pi.blocks) ? pi.blocks.map((block) => (isObject(block) ? block : null)) : [];
  return writeBlocks({ parts, extra });
}

function outputOf({ parts }: Message): string {
  const text = parts.find((part) => part.type === 'text' && part.origin === 'tool');
  if (text?.type !== 'text' || !text.text.startsWith('```\n')) return '';
  return text.text.slice(4, -4);
}

/** What pi calls the protocol of a provider; it needs one to replay signatures. */
function apiOf({ provider }: { readonly provider: string }): string {
  if (provider.includes('anthropic')) return 'anthropic-messages';
  if (provider.includes('google') || provider.includes('gemini')) return 'google-generative-ai';
  return provider.includes('openai') ? 'openai-responses' : 'openai-completions';
}

/** A draft without what pi adds to every message by itself. */
function bare(draft: Draft<MessageEntry>, at: number): JsonObject {
  const pi = piOf(draft.details);
  const added = pi.timestamp === at ? ['timestamp', 'api', 'stopReason'] : ['api', 'stopReason'];
  const { details: _, ...rest } = draft;
  return { ...(rest as unknown as JsonObject), pi: without(pi, added) ?? {} };
}
