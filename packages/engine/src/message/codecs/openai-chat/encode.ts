import { isObject, type Json, type JsonObject } from '../../../json.ts';
import type { ContentPart, MediaSource, Message, Part, ToolCallPart, ToolResultPart, Wire } from '../../message.ts';
import { writeUrl } from '../media.ts';
import { writeOpaque } from '../parts.ts';
import { assemble, native, writeCache } from '../wire.ts';

const dialect = 'openai-chat';

/**
 * Tool messages of this dialect hold text only, so the images of a batch of results follow it in one user message;
 * it must not stand between the results.
 */
export function encodeItems(messages: readonly Message[]): Json[] {
  const items: Json[] = [];
  let pending: Json[] = [];
  const flush = () => {
    if (pending.length > 0) items.push({ role: 'user', content: pending });
    pending = [];
  };
  for (const message of messages) {
    const { results, images, words } = encodeMessage(message);
    items.push(...results);
    pending.push(...images);
    if (words.length > 0) flush();
    items.push(...words);
  }
  flush();
  return items;
}

function encodeMessage(message: Message): { results: Json[]; images: Json[]; words: Json[] } {
  const wire = native(message, dialect);
  const nothing = { results: [], images: [] };
  if (wire?.form === 'item') return { ...nothing, words: message.parts.flatMap((part) => writeOpaque(part, dialect)) };
  if (message.role === 'assistant') return { ...nothing, words: encodeAssistant(message) };
  const answers = message.parts.filter((part) => part.type === 'tool_result');
  const others = message.parts.filter((part) => part.type !== 'tool_result');
  return {
    results: answers.map((part) => encodeResult(part, answers.length === 1 ? wire : undefined)),
    images: answers.flatMap(imagesOf),
    words: encodeWords({ message, parts: others, wire: answers.length > 0 ? undefined : wire }),
  };
}

function encodeWords(input: {
  readonly message: Message;
  readonly parts: readonly Part[];
  readonly wire: Wire | undefined;
}): Json[] {
  const { message, parts, wire } = input;
  const content = encodeContentList({ parts, form: wire?.form });
  if (content === null && !wire) return [];
  return [assemble({ role: message.role === 'system' ? 'system' : 'user', content: content ?? '' }, wire)];
}

function encodeAssistant(message: Message): Json[] {
  const wire = native(message, dialect);
  const calls = message.parts.flatMap(encodeCall);
  const content = encodeContentList({ parts: message.parts, form: wire?.form });
  const isAbsent = content === null && wire !== undefined && wire.form === undefined;
  if (content === null && calls.length === 0 && !wire) return [];
  const known: Record<string, Json | undefined> = {
    role: 'assistant',
    content: isAbsent ? undefined : content,
    tool_calls: calls.length > 0 ? calls : undefined,
  };
  for (const part of message.parts) {
    const key = part.type === 'thinking' ? native(part, dialect)?.form : undefined;
    if (part.type === 'thinking' && key) known[key] = part.text;
  }
  return [assemble(known, wire)];
}

/** A string where it came as one or is one plain text; `null` where there is nothing. */
function encodeContentList(input: { readonly parts: readonly Part[]; readonly form?: string | undefined }): Json {
  const content = input.parts.filter((part) => isContent(part)).flatMap(encodeContent);
  const isList = input.form === 'parts';
  const [only, ...others] = content;
  if (only === undefined) return input.form === 'empty' ? [] : null;
  if (!isList && others.length === 0 && isObject(only) && only.type === 'text' && Object.keys(only).length === 2) {
    return only.text ?? null;
  }
  return content;
}

function encodeResult(part: ToolResultPart, wire: Wire | undefined): JsonObject {
  const parts = native(part, dialect) ? part.content : part.content.filter(isTextual);
  const content = encodeContentList({ parts, form: native(part, dialect)?.form });
  return assemble({ role: 'tool', tool_call_id: part.callId, content: content ?? '' }, wire);
}

function imagesOf(part: ToolResultPart): Json[] {
  if (native(part, dialect)) return [];
  return part.content.filter((nested) => !isTextual(nested)).flatMap(encodeContent);
}

function encodeContent(part: Part): Json[] {
  const wire = native(part, dialect);
  const cache_control = writeCache(part.cache);
  switch (part.type) {
    case 'text':
      return [assemble({ type: 'text', text: part.text, cache_control }, wire)];
    case 'image': {
      const url = writeUrl(part.source);
      if (url === undefined) return [];
      const image_url = part.detail === undefined ? { url } : { url, detail: part.detail };
      return [assemble({ type: 'image_url', image_url, cache_control }, wire)];
    }
    case 'document':
      return [assemble({ type: 'file', file: encodeFile(part.source, part.name), cache_control }, wire)];
    case 'opaque':
      return writeOpaque(part, dialect);
    default:
      return [];
  }
}

function encodeFile(source: MediaSource, filename: string | undefined): JsonObject {
  const name = filename === undefined ? {} : { filename };
  return source.kind === 'file' ? { file_id: source.id, ...name } : { file_data: writeUrl(source), ...name };
}

function encodeCall(part: Part): Json[] {
  if (isMalformedCall(part)) return writeOpaque(part, dialect);
  return part.type === 'tool_call' ? [encodeToolCall(part)] : [];
}

function encodeToolCall(part: ToolCallPart): JsonObject {
  const wire = native(part, dialect);
  const key = part.freeform ? 'custom' : 'function';
  const { [key]: nested, ...outer } = wire?.fields ?? {};
  const inner = assemble(
    { name: part.name, [part.freeform ? 'input' : 'arguments']: part.arguments },
    isObject(nested) ? { dialect, fields: nested } : undefined,
  );
  const type = wire?.form === 'untyped' ? undefined : key;
  return assemble({ id: part.id, type, [key]: inner }, { dialect, fields: outer });
}

function isContent(part: Part): boolean {
  return part.type === 'text' || part.type === 'image' || part.type === 'document' || isOwnContent(part);
}

function isOwnContent(part: Part): boolean {
  return part.type === 'opaque' && part.dialect === dialect && !isMalformedCall(part);
}

function isMalformedCall(part: Part): boolean {
  return part.type === 'opaque' && native(part, dialect)?.form === 'call';
}

function isTextual(part: ContentPart): boolean {
  return part.type === 'text' || isOwnContent(part);
}
