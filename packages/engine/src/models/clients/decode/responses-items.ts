import { isArray, isObject, type JsonObject } from '../../../json.ts';
import { codecs, type Message, type Part, type ToolCallPart } from '../../../message/index.ts';
import { unbound } from './answer.ts';

const dialect = 'openai-responses';

/** The call that an item is, if it is one. */
export function callOf(item: JsonObject): ToolCallPart | undefined {
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return undefined;
  const part = codecs[dialect].decode([item])[0]?.parts[0];
  return part?.type === 'tool_call' ? part : undefined;
}

/**
 * An answer is several items here and one message to us. Each part remembers the item it came from, so that the codec
 * writes the same items again.
 */
export function readItems(items: readonly JsonObject[]): Message {
  const parts = items.flatMap((item): readonly Part[] => {
    const [message] = codecs[dialect].decode([item]);
    if (!message) return [];
    if (message.wire?.form === 'item') return message.parts.map(asItem);
    if (item.type === 'reasoning') return message.parts.map((part) => (isKeepable(item) ? part : unbound(part)));
    const { fields } = message.wire ?? {};
    const [first, ...rest] = message.parts;
    return isMessage(item) && first && fields ? [inItem(first, fields), ...rest] : message.parts;
  });
  return { role: 'assistant', parts, ...(parts.length > 0 && { wire: { dialect } }) };
}

/** Nothing is stored there, so a thought can come back only sealed, or in plain where a server shows it. */
function isKeepable({ encrypted_content: sealed, content }: JsonObject): boolean {
  return typeof sealed === 'string' || (isArray(content) && content.length > 0);
}

function isMessage(item: JsonObject): boolean {
  return isObject(item) && (item.type === 'message' || item.type === undefined);
}

function asItem(part: Part): Part {
  return { ...part, wire: { dialect, form: 'item' } };
}

/** The first words of a message item carry what the item says beyond them. */
function inItem(part: Part, item: JsonObject): Part {
  const { fields, form } = part.wire ?? {};
  return {
    ...part,
    wire: { dialect, fields: { ...fields, item }, form: form === undefined ? 'message' : `${form} message` },
  };
}
