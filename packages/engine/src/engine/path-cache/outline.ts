import { isObject, type Json, parseJson } from '../../json.ts';
import type { Message, Part } from '../../message/index.ts';
import type { Entry } from '../../session/index.ts';

/** The longest beginning of a text, or member of a call's arguments, that stays. */
const longest = 160;

/**
 * An entry without what is long in it. Who said what to whom stays, people's words whole; of texts their first lines, so
 * that lines keep their numbers; of calls what they were called with, in short; of results only whether they failed.
 *
 * @example
 * const light = outlineOf(entry);
 */
export function outlineOf(entry: Entry): Entry {
  if (entry.type === 'epoch') return 'list' in entry.items ? { ...entry, items: { list: [] } } : entry;
  if (entry.type === 'compaction') {
    const { details: _details, ...rest } = entry;
    return { ...rest, summary: firstLines(entry.summary) };
  }
  if (entry.type !== 'message') return entry;
  const { sent: _sent, ...rest } = entry;
  return { ...rest, message: outlineOfMessage(entry.message) };
}

/**
 * An outline of which only what people said is left. The entry stays in its place, so that paths and counts hold.
 *
 * @example
 * const lighter = strippedOf(outlineOf(entry));
 */
export function strippedOf(entry: Entry): Entry {
  if (entry.type !== 'message' || entry.message.role === 'system') return entry;
  const { role, parts } = entry.message;
  return { ...entry, message: { role, parts: parts.filter(({ origin }) => origin === 'human') } };
}

function outlineOfMessage({ role, parts }: Message): Message {
  return { role, parts: parts.flatMap(outlineOfPart) };
}

/** What is left of a part in an outline, if anything is. */
export function outlineOfPart(part: Part): Part[] {
  switch (part.type) {
    case 'text': {
      if (part.origin === 'human') return [part];
      const text = firstLines(part.text);
      return text === '' ? [] : [{ type: 'text', origin: part.origin, text }];
    }
    case 'tool_call': {
      const { type, origin, id, name, freeform } = part;
      return [{ type, origin, id, name, arguments: brief(part.arguments), ...(freeform && { freeform }) }];
    }
    case 'tool_result': {
      const { type, origin, callId, isError } = part;
      return [{ type, origin, callId, content: [], ...(isError && { isError }) }];
    }
    default:
      return [];
  }
}

/** Whole lines only: half a line is no quotation. */
function firstLines(text: string): string {
  if (text.length <= longest) return text;
  return text.slice(0, Math.max(0, text.lastIndexOf('\n', longest)));
}

/** The arguments of a call with their long texts cut; what they name stays. */
function brief(written: string): string {
  if (written.length <= longest) return written;
  const input = parseJson(written);
  return isObject(input) ? JSON.stringify(cut(input)) : written.slice(0, longest);
}

function cut(value: Json): Json {
  if (typeof value === 'string') return value.slice(0, longest);
  if (Array.isArray(value)) return value.slice(0, 50).map(cut);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member as Json)]));
}
