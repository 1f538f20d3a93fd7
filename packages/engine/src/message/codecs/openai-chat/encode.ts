import { isObject, type Json, type JsonObject } from '../../../json.ts';
import type { ContentPart, DocumentPart, Message, Part, ToolCallPart, ToolResultPart, Wire } from '../../message.ts';
import { textOf, writeUrl } from '../media.ts';
import { writeOpaque } from '../parts.ts';
import { isSent } from '../sent.ts';
import { assemble, native, writeCache } from '../wire.ts';

const dialect = 'openai-chat';

/**
 * Tool messages of this dialect hold text only, so the images of a batch of results follow it in one user message, which
 * must not stand between the results. A run of foreign answers becomes one: the results of its calls come only after all.
 */
export function encodeItems(messages: readonly Message[]): Json[] {
  const items: Json[] = [];
  let pending: Json[] = [];
  const flush = () => {
    if (pending.length > 0) items.push({ role: 'user', content: pending });
    pending = [];
  };
  for (const message of joinedAnswers(messages)) {
    const { results, images, words } = encodeMessage(message);
    for (const item of results) items.push(item);
    pending.push(...images);
    if (words.length > 0) flush();
    for (const item of words) items.push(item);
  }
  flush();
  return items;
}

/** Answers of other dialects come as several messages in a row (one for each call in Responses); here they are one. */
function joinedAnswers(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  let run: Part[] | undefined;
  for (const message of messages) {
    const isForeignAnswer = message.role === 'assistant' && !native(message, dialect);
    if (isForeignAnswer && run) {
      for (const part of message.parts) run.push(part);
      continue;
    }
    run = isForeignAnswer ? [...message.parts] : undefined;
    joined.push(run ? { role: 'assistant', parts: run } : message);
  }
  return joined;
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
  const content = encodeContentList(parts, wire);
  if (content === null && !wire) return [];
  return [assemble({ role: message.role === 'system' ? 'system' : 'user', content: content ?? '' }, wire)];
}

function encodeAssistant(message: Message): Json[] {
  const wire = native(message, dialect);
  const calls = message.parts.flatMap(encodeCall);
  const content = encodeContentList(message.parts, wire);
  const isAbsent = content === null && wire !== undefined && wire.form === undefined;
  if (content === null && calls.length === 0 && !wire) return [];
  const known: Record<string, Json | undefined> = {
    role: 'assistant',
    content: isAbsent ? undefined : content,
    tool_calls: calls.length > 0 ? calls : undefined,
  };
  for (const part of message.parts) {
    const key = part.type === 'thinking' || isRefusal(part) ? native(part, dialect)?.form : undefined;
    if (key !== undefined && 'text' in part) known[key] = part.text;
  }
  return [assemble(known, wire)];
}

/** A string where it came as one or is one plain text; `null` where there is nothing. */
function encodeContentList(parts: readonly Part[], wire: Wire | undefined): Json {
  const content = parts.filter(isContent).flatMap((part) => encodeContent(part, wire !== undefined));
  const [only, ...others] = content;
  if (only === undefined) return wire?.form === 'empty' ? [] : null;
  const isPlain = others.length === 0 && isObject(only) && only.type === 'text' && Object.keys(only).length === 2;
  return isPlain && wire?.form !== 'parts' ? (only.text ?? null) : content;
}

function encodeResult(part: ToolResultPart, wire: Wire | undefined): JsonObject {
  const own = native(part, dialect);
  const content = encodeContentList(own ? part.content : part.content.filter(isTextual), own);
  return assemble({ role: 'tool', tool_call_id: part.callId, content: content ?? '' }, wire);
}

function imagesOf(part: ToolResultPart): Json[] {
  if (native(part, dialect)) return [];
  return part.content.filter((nested) => !isTextual(nested)).flatMap((nested) => encodeContent(nested, false));
}

/** Cache marks of other dialects stay at home: several compatible servers refuse a member they do not know. */
function encodeContent(part: Part, isNative: boolean): Json[] {
  const wire = native(part, dialect);
  const cache_control = isNative ? writeCache(part.cache) : undefined;
  switch (part.type) {
    case 'text':
      if (wire?.form === 'refusal-part') return [assemble({ type: 'refusal', refusal: part.text }, wire)];
      return [assemble({ type: 'text', text: part.text, cache_control }, wire)];
    case 'image': {
      const url = writeUrl(part.source);
      if (url === undefined) return [];
      const image_url = part.detail === undefined ? { url } : { url, detail: part.detail };
      return [assemble({ type: 'image_url', image_url, cache_control }, wire)];
    }
    case 'document':
      return isSent(part, dialect) ? [encodeDocument(part, wire, cache_control)] : [];
    case 'opaque':
      return writeOpaque(part, dialect);
    default:
      return [];
  }
}

/** Only PDFs travel as files, and not without a name; a document that is text goes as text. */
function encodeDocument(part: DocumentPart, wire: Wire | undefined, cache_control: JsonObject | undefined): JsonObject {
  const { source } = part;
  const text = wire ? undefined : textOf(source);
  if (text !== undefined) return assemble({ type: 'text', text, cache_control });
  const filename = part.name ?? (wire ? undefined : 'document.pdf');
  const place = source.kind === 'file' ? { file_id: source.id } : { file_data: writeUrl(source) };
  return assemble(
    { type: 'file', file: { ...place, ...(filename !== undefined && { filename }) }, cache_control },
    wire,
  );
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
  if (part.type === 'text') return !isRefusal(part);
  return part.type === 'image' || part.type === 'document' || isOwnContent(part);
}

/** A refusal that was a member of the message, not a content part. */
function isRefusal(part: Part): boolean {
  return part.type === 'text' && native(part, dialect)?.form === 'refusal';
}

function isOwnContent(part: Part): boolean {
  return part.type === 'opaque' && part.dialect === dialect && !isMalformedCall(part);
}

function isMalformedCall(part: Part): boolean {
  return part.type === 'opaque' && native(part, dialect)?.form === 'call';
}

function isTextual(part: ContentPart): boolean {
  return part.type === 'text' || isOwnContent(part) || (part.type === 'document' && textOf(part.source) !== undefined);
}
