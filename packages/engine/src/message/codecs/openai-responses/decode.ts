import { isArray, isObject, type Json, type JsonObject, sameJson, without } from '../../../json.ts';
import type { ContentPart, Message, Part, Role, ToolResultPart } from '../../message.ts';
import { originOf } from '../../origin.ts';
import { readUrl } from '../media.ts';
import { opaqueItem, opaquePart, restOf, textPart } from '../parts.ts';
import { wireOf } from '../wire.ts';

const dialect = 'openai-responses';

export function decodeItem(item: Json): Message {
  if (!isObject(item)) return opaqueItem({ dialect, value: item });
  // A reference may come without its type: AI SDK sends `{ id }`.
  if (item.type === undefined && item.role === undefined && typeof item.id === 'string') {
    return opaqueItem({ dialect, value: item, role: 'assistant', kind: 'item_reference' });
  }
  return (
    decodeMessage(item) ?? decodeSinglePart(item) ?? opaqueItem({ dialect, value: item, role: roleOfKind(item.type) })
  );
}

function decodeMessage(item: JsonObject): Message | undefined {
  const role = item.role === 'developer' ? 'system' : item.role;
  if (role !== 'system' && role !== 'user' && role !== 'assistant') return undefined;
  if (item.type !== undefined && item.type !== 'message') return undefined;
  const { content } = item;
  if (typeof content !== 'string' && !isArray(content)) return undefined;
  // `type` and `developer` are kept as unknown members, which take precedence in `assemble`.
  const known = item.role === role ? ['role', 'content'] : ['content'];
  const form = typeof content === 'string' ? 'string' : undefined;
  return {
    role,
    parts: typeof content === 'string' ? [textPart(content, role)] : content.map((part) => decodeContent(part, role)),
    wire: { dialect, ...wireOf({ dialect, fields: without(item, known), form }).wire },
  };
}

function decodeSinglePart(item: JsonObject): Message | undefined {
  switch (item.type) {
    case 'function_call':
    case 'custom_tool_call':
      return single('assistant', decodeCall(item));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return single('tool', decodeResult(item));
    case 'reasoning':
      return single('assistant', decodeReasoning(item));
    default:
      return undefined;
  }
}

function single(role: Role, part: Part | undefined): Message | undefined {
  return part && { role, parts: [part], wire: { dialect } };
}

function decodeCall(item: JsonObject): Part | undefined {
  const isCustom = item.type === 'custom_tool_call';
  const key = isCustom ? 'input' : 'arguments';
  const { call_id: id, name, [key]: text } = item;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof text !== 'string') return undefined;
  const call = { type: 'tool_call', origin: 'model', id, name, arguments: text } as const;
  return { ...call, ...(isCustom && { freeform: true }), ...rest(item, ['type', 'call_id', 'name', key]) };
}

/** Which of the two output types it was stays among the unknown members: clients answer custom calls with either. */
function decodeResult(item: JsonObject): ToolResultPart | undefined {
  const { call_id: callId, output } = item;
  if (typeof callId !== 'string' || (typeof output !== 'string' && !isArray(output))) return undefined;
  const content =
    typeof output === 'string' ? [textPart(output, 'tool')] : output.map((part) => decodeContent(part, 'tool'));
  const form = typeof output === 'string' ? undefined : 'parts';
  return { type: 'tool_result', origin: 'tool', callId, content, ...rest(item, ['call_id', 'output'], form) };
}

/**
 * Readable reasoning is the summary, or the content where a server shows it. A summary that is one plain text needs no
 * memory; any other stays whole among the unknown members.
 */
function decodeReasoning(item: JsonObject): Part | undefined {
  const { summary, content, encrypted_content: encrypted } = item;
  if (!isArray(summary)) return undefined;
  const text = readableText(summary) || readableText(isArray(content) ? content : []);
  const isPlain = sameJson(summary, writeSummary(text));
  const known = ['type', isPlain ? 'summary' : '', typeof encrypted === 'string' ? 'encrypted_content' : ''];
  return {
    type: 'thinking',
    origin: 'model',
    text,
    ...(typeof encrypted === 'string' && { encrypted }),
    wire: { dialect, ...wireOf({ dialect, fields: without(item, known) }).wire },
  };
}

export function writeSummary(text: string): Json[] {
  return text === '' ? [] : [{ type: 'summary_text', text }];
}

function readableText(parts: readonly Json[]): string {
  return parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n\n');
}

function decodeContent(part: Json, role: Role): ContentPart {
  const origin = originOf({ role, text: '' });
  const decoded = isObject(part) ? (decodeText(part, role) ?? decodeMedia(part, role)) : undefined;
  return decoded ?? opaquePart({ dialect, value: part, origin });
}

function decodeText(part: JsonObject, role: Role): ContentPart | undefined {
  if (part.type === 'refusal' && typeof part.refusal === 'string') {
    return { ...textPart(part.refusal, role), ...rest(part, ['type', 'refusal'], 'refusal') };
  }
  if (typeof part.text !== 'string' || (part.type !== 'input_text' && part.type !== 'output_text')) return undefined;
  const known = part.type === textType(role) ? ['type', 'text'] : ['text'];
  return { ...textPart(part.text, role), ...rest(part, known) };
}

function decodeMedia(part: JsonObject, role: Role): ContentPart | undefined {
  const origin = originOf({ role, text: '' });
  const { file_id: id } = part;
  if (part.type === 'input_image') {
    const { image_url: url, detail } = part;
    const shown = typeof detail === 'string' ? { detail } : {};
    const known = ['type', ...Object.keys(shown)];
    const base = { type: 'image', origin, ...shown } as const;
    if (typeof url === 'string') return { ...base, source: readUrl(url), ...rest(part, [...known, 'image_url']) };
    if (typeof id === 'string') return { ...base, source: { kind: 'file', id }, ...rest(part, [...known, 'file_id']) };
  }
  if (part.type === 'input_file') {
    const { file_data: data, file_url: url, filename } = part;
    const named = typeof filename === 'string' ? { name: filename } : {};
    const known = ['type', ...(typeof filename === 'string' ? ['filename'] : [])];
    const base = { type: 'document', origin, ...named } as const;
    const bytes = typeof data === 'string' ? readUrl(data) : undefined;
    if (bytes?.kind === 'base64') return { ...base, source: bytes, ...rest(part, [...known, 'file_data']) };
    if (typeof url === 'string')
      return { ...base, source: { kind: 'url', url }, ...rest(part, [...known, 'file_url']) };
    if (typeof id === 'string') return { ...base, source: { kind: 'file', id }, ...rest(part, [...known, 'file_id']) };
  }
  return undefined;
}

/** The name this dialect gives a text by default; any other is remembered. */
export function textType(role: Role): string {
  return role === 'assistant' ? 'output_text' : 'input_text';
}

/** The role of an item of unknown kind, so that rounds are still found. */
function roleOfKind(kind: Json | undefined): Role {
  if (typeof kind !== 'string' || kind === 'compaction_trigger') return 'user';
  if (kind.endsWith('_output') || kind.endsWith('_response')) return 'tool';
  return kind === 'additional_tools' || kind === 'configuration_update' ? 'system' : 'assistant';
}

function rest(part: JsonObject, known: readonly string[], form?: string): Pick<Part, 'cache' | 'wire'> {
  return restOf({ dialect, block: part, known, form });
}
