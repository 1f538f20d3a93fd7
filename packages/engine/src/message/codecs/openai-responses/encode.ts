import { isObject, type Json, type JsonObject } from '../../../json.ts';
import type { Message, Part, ThinkingPart, ToolCallPart, ToolResultPart, Wire } from '../../message.ts';
import { isProviderCompaction } from '../../provider-compaction.ts';
import { writeUrl } from '../media.ts';
import { writeOpaque } from '../parts.ts';
import { assemble, native, writeCache } from '../wire.ts';
import { textType, writeSummary } from './decode.ts';

const dialect = 'openai-responses';

/**
 * One message becomes one item for its words and one for each call, result and piece of reasoning, in order. Words that
 * remember a message item of their own (form `message`) begin one.
 */
export function encodeItems(messages: readonly Message[]): Json[] {
  const freeform = new Set<string>();
  return messages.flatMap((message) => {
    for (const part of message.parts) {
      if (part.type === 'tool_call' && part.freeform) freeform.add(part.id);
    }
    return encodeMessage(message, freeform);
  });
}

function encodeMessage(message: Message, freeform: ReadonlySet<string>): Json[] {
  const wire = native(message, dialect);
  if (wire?.form === 'item') return message.parts.flatMap((part) => writeOpaque(part, dialect));
  if (message.parts.length === 0) return wire ? [encodeWords({ message, words: [], wire })] : [];
  const items: Json[] = [];
  let words: Json[] = [];
  let around = wire;
  const flush = () => {
    if (words.length > 0) items.push(encodeWords({ message, words, wire: around }));
    words = [];
    around = wire;
  };
  for (const part of message.parts) {
    const own = encodeOwnItem(part, freeform);
    const item = itemOf(part);
    if (item) {
      flush();
      around = { dialect, fields: item };
    }
    if (own === undefined) {
      words.push(...encodeContent(part, message));
    } else {
      flush();
      items.push(...own);
    }
  }
  flush();
  return items;
}

/** The item of a part that has one of its own; `undefined` for words, which share a message item. */
function encodeOwnItem(part: Part, freeform: ReadonlySet<string>): Json[] | undefined {
  switch (part.type) {
    case 'thinking':
      return native(part, dialect) ? [encodeReasoning(part)] : [];
    case 'tool_call':
      return [encodeCall(part)];
    case 'tool_result':
      return [encodeResult(part, freeform.has(part.callId))];
    case 'opaque':
      return native(part, dialect)?.form === 'item' || isProviderCompaction(part)
        ? writeOpaque(part, dialect)
        : undefined;
    default:
      return undefined;
  }
}

/** The members of the message item that begins with this part. */
function itemOf(part: Part): JsonObject | undefined {
  const wire = native(part, dialect);
  const { item } = wire?.fields ?? {};
  return wire?.form?.split(' ').includes('message') && isObject(item) ? item : undefined;
}

/** What a part remembers of itself, without the item around it. */
function inside(part: Part): Wire | undefined {
  const wire = native(part, dialect);
  if (!wire || !itemOf(part)) return wire;
  const { item: _, ...fields } = wire.fields ?? {};
  const form = wire.form?.split(' ').find((each) => each !== 'message');
  return { dialect, fields, ...(form !== undefined && { form }) };
}

function encodeWords(input: {
  readonly message: Message;
  readonly words: Json[];
  readonly wire: Wire | undefined;
}): Json {
  const { message, words, wire } = input;
  const [only] = words;
  const isString = wire?.form === 'string' && words.length === 1 && isObject(only) && Object.keys(only).length === 2;
  const role =
    message.role === 'system' ? (wire ? 'system' : 'developer') : message.role === 'tool' ? 'user' : message.role;
  return assemble({ role, content: isString && typeof only.text === 'string' ? only.text : words }, wire);
}

function encodeReasoning(part: ThinkingPart): Json {
  const wire = native(part, dialect);
  return assemble({ type: 'reasoning', summary: writeSummary(part.text), encrypted_content: part.encrypted }, wire);
}

function encodeCall(part: ToolCallPart): Json {
  const wire = native(part, dialect);
  const { id: call_id, name } = part;
  if (part.freeform) return assemble({ type: 'custom_tool_call', call_id, name, input: part.arguments }, wire);
  return assemble({ type: 'function_call', call_id, name, arguments: part.arguments }, wire);
}

function encodeResult(part: ToolResultPart, isFreeform: boolean): Json {
  const wire = native(part, dialect);
  const parts = part.content.flatMap((nested) => encodeContent(nested, undefined));
  const [only, ...others] = parts;
  const isText = only === undefined || (isObject(only) && only.type === 'input_text' && Object.keys(only).length === 2);
  const isString = wire?.form !== 'parts' && others.length === 0 && isText;
  const text = isObject(only) && typeof only.text === 'string' ? only.text : '';
  const type = isFreeform ? 'custom_tool_call_output' : 'function_call_output';
  return assemble({ type, call_id: part.callId, output: isString ? text : parts }, wire);
}

function encodeContent(part: Part, message: Message | undefined): Json[] {
  const wire = inside(part);
  const cache_control = wire ? writeCache(part.cache) : undefined;
  switch (part.type) {
    case 'text':
      if (wire?.form === 'refusal') return [assemble({ type: 'refusal', refusal: part.text, cache_control }, wire)];
      return [assemble({ type: textType(message?.role ?? 'tool'), text: part.text, cache_control }, wire)];
    case 'image': {
      const { source, detail } = part;
      const place = source.kind === 'file' ? { file_id: source.id } : { image_url: writeUrl(source) };
      return [assemble({ type: 'input_image', ...place, detail, cache_control }, wire)];
    }
    case 'document':
      return [assemble({ type: 'input_file', ...encodeFile(part), cache_control }, wire)];
    default:
      return writeOpaque(part, dialect);
  }
}

function encodeFile(part: Part & { type: 'document' }): Record<string, Json | undefined> {
  const { source, name: filename } = part;
  if (source.kind === 'file') return { file_id: source.id, filename };
  return source.kind === 'url' ? { file_url: source.url, filename } : { file_data: writeUrl(source), filename };
}
