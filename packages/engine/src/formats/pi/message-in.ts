import { isObject, type Json, type JsonObject, without } from '../../json.ts';
import type { ContentPart, Message, Part } from '../../message/index.ts';
import type { CustomEntry, CustomMessageEntry, Draft, MessageEntry, UsageEntry } from '../../session/index.ts';
import { detailsUnder } from '../details.ts';
import { amount } from '../usage.ts';
import { type ReadContent, readAnswer, readBlocks } from './content.ts';

/** A message of pi as drafts of ours; `usage` becomes a note beside an answer. */
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
  const told = [...(usage.totalTokens === sum ? ['totalTokens'] : []), ...(isFree(usage.cost) ? ['cost'] : [])];
  const rest = without(usage, ['input', 'output', 'cacheRead', 'cacheWrite', ...told]) ?? {};
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
    { type: 'text', origin: 'human', text: `Ran \`${String(raw.command ?? '')}\`` },
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
