import { isArray, isObject, type Json, type JsonObject, without } from '../../../json.ts';
import type { ContentPart, Message, Origin, Part, Role, ToolCallPart } from '../../message.ts';
import { originOf } from '../../origin.ts';
import { readUrl } from '../media.ts';
import { opaqueItem, opaquePart, restOf, textPart } from '../parts.ts';
import { wireOf } from '../wire.ts';

const dialect = 'openai-chat';

/** Where compatible servers put reasoning: DeepSeek and most others, OpenRouter and newer vLLM, Copilot. */
const reasoningKeys = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

export function decodeItem(item: Json): Message {
  const message = isObject(item) ? decodeByRole(item) : undefined;
  if (message) return message;
  return opaqueItem({ dialect, value: item });
}

function decodeByRole(item: JsonObject): Message | undefined {
  switch (item.role) {
    case 'system':
    case 'developer':
      return withContent(item, 'system');
    case 'user':
      return withContent(item, 'user');
    case 'assistant':
      return decodeAssistant(item);
    case 'tool':
      return decodeTool(item);
    default:
      return undefined;
  }
}

function withContent(item: JsonObject, role: Role): Message | undefined {
  const content = decodeContent(item.content, role);
  if (!content?.form || content.form === 'null') return undefined;
  // `developer` is a system message under another name; an unknown member of the same key restores it.
  const known = item.role === role ? ['role', 'content'] : ['content'];
  const { wire } = wireOf({ dialect, fields: without(item, known), form: content.form });
  return { role, parts: content.parts, wire: { dialect, ...wire } };
}

function decodeAssistant(item: JsonObject): Message | undefined {
  const content = decodeContent(item.content, 'assistant');
  if (!content) return undefined;
  const calls = isArray(item.tool_calls) && item.tool_calls.length > 0 ? item.tool_calls.map(decodeCall) : [];
  const key = reasoningKeys.find((name) => typeof item[name] === 'string');
  const refusal = typeof item.refusal === 'string' ? [refused(item.refusal, 'refusal')] : [];
  const known = [
    'role',
    key ?? '',
    content.form ? 'content' : '',
    calls.length > 0 ? 'tool_calls' : '',
    refusal.length > 0 ? 'refusal' : '',
  ];
  return {
    role: 'assistant',
    parts: [...decodeReasoning(item, key), ...content.parts, ...refusal, ...calls],
    wire: { dialect, ...wireOf({ dialect, fields: without(item, known), form: content.form || undefined }).wire },
  };
}

/** A refusal is the model's text, which other dialects can carry; the form says where it stood. */
function refused(text: string, form: string, fields?: JsonObject): ContentPart {
  return { ...textPart(text, 'assistant'), ...wireOf({ dialect, fields, form }) };
}

function decodeReasoning(item: JsonObject, key: string | undefined): Part[] {
  const text = key === undefined ? undefined : item[key];
  if (key === undefined || typeof text !== 'string') return [];
  return [{ type: 'thinking', origin: 'model', text, wire: { dialect, form: key } }];
}

function decodeTool(item: JsonObject): Message | undefined {
  const content = decodeContent(item.content, 'tool');
  if (typeof item.tool_call_id !== 'string' || !content?.form || content.form === 'null') return undefined;
  return {
    role: 'tool',
    parts: [
      {
        type: 'tool_result',
        origin: 'tool',
        callId: item.tool_call_id,
        content: content.parts,
        wire: { dialect, form: content.form },
      },
    ],
    wire: { dialect, ...wireOf({ dialect, fields: without(item, ['role', 'tool_call_id', 'content']) }).wire },
  };
}

/** `undefined` for content that no message of this dialect has; form `''` where the member is absent. */
function decodeContent(content: Json | undefined, role: Role): { parts: ContentPart[]; form: string } | undefined {
  if (content === undefined) return { parts: [], form: '' };
  if (content === null) return { parts: [], form: 'null' };
  if (typeof content === 'string') return { parts: [textPart(content, role)], form: 'string' };
  if (!isArray(content)) return undefined;
  return { parts: content.map((part) => decodePart(part, role)), form: content.length === 0 ? 'empty' : 'parts' };
}

function decodePart(part: Json, role: Role): ContentPart {
  const origin = originOf({ role, text: '' });
  if (!isObject(part)) return opaquePart({ dialect, value: part, origin });
  if (part.type === 'text' && typeof part.text === 'string') {
    return { ...textPart(part.text, role), ...rest(part, ['type', 'text']) };
  }
  if (part.type === 'refusal' && typeof part.refusal === 'string') {
    return refused(part.refusal, 'refusal-part', without(part, ['type', 'refusal']));
  }
  if (part.type === 'image_url' && isObject(part.image_url) && !without(part.image_url, ['url', 'detail'])) {
    const { url, detail } = part.image_url;
    if (typeof url === 'string' && (detail === undefined || typeof detail === 'string')) {
      const shown = detail === undefined ? {} : { detail };
      return { type: 'image', origin, source: readUrl(url), ...shown, ...rest(part, ['type', 'image_url']) };
    }
  }
  return (part.type === 'file' && decodeFile(part, origin)) || opaquePart({ dialect, value: part, origin });
}

function decodeFile(part: JsonObject, origin: Origin): ContentPart | undefined {
  if (!isObject(part.file) || without(part.file, ['file_data', 'file_id', 'filename'])) return undefined;
  const { file_data: data, file_id: id, filename } = part.file;
  if (filename !== undefined && typeof filename !== 'string') return undefined;
  const name = filename === undefined ? {} : { name: filename };
  const known = restOf({ dialect, block: part, known: ['type', 'file'], form: 'file' });
  const base = { type: 'document', origin, ...name, ...known } as const;
  if (typeof data === 'string' && id === undefined) return { ...base, source: readUrl(data) };
  if (typeof id === 'string' && data === undefined) return { ...base, source: { kind: 'file', id } };
  return undefined;
}

function decodeCall(call: Json): Part {
  if (isObject(call) && typeof call.id === 'string') {
    const { id } = call;
    const inner = call.type === 'custom' ? call.custom : call.function;
    const textKey = call.type === 'custom' ? 'input' : 'arguments';
    const isKnown = call.type === 'custom' || call.type === 'function' || call.type === undefined;
    if (isKnown && isObject(inner) && typeof inner.name === 'string' && typeof inner[textKey] === 'string') {
      const key = call.type === 'custom' ? 'custom' : 'function';
      // Unknown members next to the name are written back inside `function`, where they were found.
      const nested = without(inner, ['name', textKey]);
      const outer = without(call, ['id', 'type', key]);
      const fields = nested ? { ...outer, [key]: nested } : outer;
      const base = { type: 'tool_call', origin: 'model', id, name: inner.name, arguments: inner[textKey] } as const;
      const form = call.type === undefined ? 'untyped' : undefined;
      const part: ToolCallPart = key === 'custom' ? { ...base, freeform: true } : base;
      return { ...part, ...wireOf({ dialect, fields, form }) };
    }
  }
  return { ...opaquePart({ dialect, value: call, origin: 'model' }), wire: { dialect, form: 'call' } };
}

function rest(part: JsonObject, known: readonly string[]): Pick<Part, 'cache' | 'wire'> {
  return restOf({ dialect, block: part, known });
}
