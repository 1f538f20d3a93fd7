import { isObject, type Json, type JsonObject, parseJson } from '../../../json.ts';
import type {
  ContentPart,
  DocumentPart,
  MediaSource,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
} from '../../message.ts';
import { textOf } from '../media.ts';
import { reminderText, writeOpaque } from '../parts.ts';
import { assemble, native, writeCache } from '../wire.ts';

const dialect = 'anthropic';

/**
 * A run of tool messages becomes one user item: Anthropic wants the results of parallel calls together. Items that came
 * from Anthropic keep their own borders.
 */
export function encodeItems(messages: readonly Message[]): Json[] {
  const items: Json[] = [];
  let batch: Json[] | undefined;
  for (const message of messages) {
    if (native(message, dialect)?.form === 'item') {
      batch = undefined;
      items.push(...message.parts.flatMap((part) => writeOpaque(part, dialect)));
      continue;
    }
    const blocks = encodeBlocks(message);
    // What is left empty because its parts belong to another provider is left out; an empty native message stays.
    if (blocks.length === 0 && native(message, dialect) === undefined) continue;
    const isBatch = message.role === 'tool' && native(message, dialect) === undefined;
    if (isBatch && batch) {
      batch.push(...blocks);
      continue;
    }
    batch = isBatch ? blocks : undefined;
    items.push(encodeItem(message, blocks));
  }
  return items;
}

export function encodeBlocks(message: Message): Json[] {
  if (message.role === 'system' && native(message, dialect) === undefined) {
    return message.parts.filter((part) => part.type === 'text').map((part) => asReminder(part));
  }
  return message.parts.flatMap(encodeBlock);
}

function encodeItem(message: Message, blocks: readonly Json[]): JsonObject {
  const wire = native(message, dialect);
  const role = message.role === 'assistant' ? 'assistant' : message.role === 'system' && wire ? 'system' : 'user';
  return assemble({ role, content: asString(blocks, wire?.form) ?? blocks }, wire);
}

/** Content that came as a string goes back as one, as long as it is still one plain text. */
function asString(blocks: readonly Json[], form: string | undefined): string | undefined {
  const [block, ...others] = blocks;
  if (form !== 'string' || block === undefined || others.length > 0) return undefined;
  if (!isObject(block) || block.type !== 'text' || Object.keys(block).length !== 2) return undefined;
  return typeof block.text === 'string' ? block.text : undefined;
}

function encodeBlock(part: Part): Json[] {
  const wire = native(part, dialect);
  const cache_control = writeCache(part.cache);
  switch (part.type) {
    case 'thinking': {
      if (!wire) return [];
      const { text, signature, encrypted } = part;
      if (encrypted !== undefined)
        return [assemble({ type: 'redacted_thinking', data: encrypted, cache_control }, wire)];
      return [assemble({ type: 'thinking', thinking: text, signature, cache_control }, wire)];
    }
    case 'tool_call':
      return [assemble({ type: 'tool_use', id: part.id, name: part.name, input: inputOf(part), cache_control }, wire)];
    case 'tool_result':
      return [encodeResult(part)];
    default:
      return encodeContent(part);
  }
}

function encodeContent(part: ContentPart): Json[] {
  const wire = native(part, dialect);
  const cache_control = writeCache(part.cache);
  switch (part.type) {
    case 'text':
      return [assemble({ type: 'text', text: part.text, cache_control }, wire)];
    case 'image':
      return [assemble({ type: 'image', source: encodeSource(part.source), cache_control }, wire)];
    case 'document':
      return [assemble({ type: 'document', source: documentSource(part), title: part.name, cache_control }, wire)];
    case 'opaque':
      return writeOpaque(part, dialect);
  }
}

function encodeResult(part: ToolResultPart): JsonObject {
  const wire = native(part, dialect);
  const blocks = part.content.filter((nested) => wire?.form || !isBlank(nested)).flatMap(encodeContent);
  const isBare = blocks.length === 0 && wire?.form !== 'empty';
  const bare = wire?.form === 'null' ? null : undefined;
  return assemble(
    {
      type: 'tool_result',
      tool_use_id: part.callId,
      content: isBare ? bare : (asString(blocks, wire?.form) ?? blocks),
      is_error: part.isError,
      cache_control: writeCache(part.cache),
    },
    wire,
  );
}

/** A blank text is refused as a block, and a result needs no content; what came so goes back so. */
function isBlank(part: ContentPart): boolean {
  return part.type === 'text' && part.text.trim() === '';
}

/** Anthropic takes only objects; what another provider's model wrote otherwise is carried inside one. */
function inputOf(part: ToolCallPart): Json {
  if (part.freeform) return { input: part.arguments };
  if (part.arguments.trim() === '') return {};
  const value = parseJson(part.arguments);
  if (value === undefined) return { input: part.arguments };
  return isObject(value) || native(part, dialect)?.form === 'value' ? value : { input: value };
}

/**
 * Only newer models take `role: "system"` in the middle of a list, and only in certain places that later items decide,
 * so a system message from elsewhere goes as a reminder.
 */
function asReminder(part: Part & { type: 'text' }): JsonObject {
  return assemble({
    type: 'text',
    text: reminderText(part.text),
    cache_control: writeCache(part.cache),
  });
}

/** Bytes of a text are refused, the text itself is taken. */
function documentSource(part: DocumentPart): JsonObject {
  const text = native(part, dialect) ? undefined : textOf(part.source);
  return encodeSource(text === undefined ? part.source : { kind: 'text', text });
}

function encodeSource(source: MediaSource): JsonObject {
  switch (source.kind) {
    case 'base64':
      return { type: 'base64', media_type: source.mediaType, data: source.data };
    case 'url':
      return { type: 'url', url: source.url };
    case 'file':
      return { type: 'file', file_id: source.id };
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
  }
}
