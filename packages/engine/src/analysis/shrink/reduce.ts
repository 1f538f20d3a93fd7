import type { ContentPart, Message, Part } from '../../message/index.ts';
import { shorten } from './shorten.ts';
import { waterFill } from './water-fill.ts';

/** Counts a text, and a message as its provider does. */
export interface Scales {
  readonly count: (text: string) => number;
  readonly weigh: (message: Message) => number;
}

/**
 * A message that is too large, in less: the beginning and the end of its long texts, and the handle under which all of it
 * is. Calls and results stay paired, arguments stay JSON, thoughts stay (they cannot be cut, and
 * some providers refuse calls without them), pictures become a line of text. It comes to about
 * `limit`, or to what its smallest form needs.
 *
 * @example
 * reduceMessage({ message, handle: 12, limit: 2000, scales });
 */
export function reduceMessage({
  message,
  handle,
  limit,
  scales,
}: {
  readonly message: Message;
  /** Where all of it is; absent for what stands nowhere in the log. */
  readonly handle: number | undefined;
  readonly limit: number;
  readonly scales: Scales;
}): Message {
  const { parts } = message;
  const sizes = parts.map((part) => scales.weigh({ role: message.role, parts: [part] }));
  const cap = waterFill({ sizes, total: limit });
  const reduced = parts.map((part, index): Part => {
    if ((sizes[index] ?? 0) <= cap) return part;
    return reducePart({ part, limit: Math.max(smallest, cap), scales, place: placeOf({ message, part, handle }) });
  });
  const { wire: _wire, ...rest } = message;
  return { ...rest, parts: reduced };
}

/** A text is not cut to less: its note alone comes to about half of it. */
const smallest = 40;

function reducePart({
  part,
  limit,
  scales,
  place,
}: {
  readonly part: Part;
  readonly limit: number;
  readonly scales: Scales;
  readonly place: string;
}): Part {
  const note = ({ chars }: { readonly chars: number }) => `[… ${chars} characters left out${place} …]`;
  const short = (text: string, most: number) => shorten({ text, limit: most, count: scales.count, note });
  switch (part.type) {
    case 'text': {
      const { wire: _, ...rest } = part;
      return { ...rest, text: short(part.text, limit) };
    }
    case 'tool_call': {
      const { wire: _, ...rest } = part;
      const written = short(part.arguments, limit);
      return { ...rest, arguments: part.freeform ? written : JSON.stringify({ shortened: written }) };
    }
    case 'tool_result': {
      const { wire: _, ...rest } = part;
      const sizes = part.content.map((inner) => scales.weigh({ role: 'user', parts: [inner] }));
      const cap = Math.max(smallest, waterFill({ sizes, total: limit }));
      const content = part.content.map((inner, index): ContentPart => {
        if ((sizes[index] ?? 0) <= cap) return inner;
        return inner.type === 'text'
          ? { type: 'text', origin: inner.origin, text: short(inner.text, cap) }
          : stub(inner);
      });
      return { ...rest, content };
    }
    case 'image':
    case 'document':
    case 'opaque':
      return stub(part);
    default:
      return part;
  }

  function stub({ type }: Part): ContentPart {
    return { type: 'text', origin: 'engine', text: `[${type === 'opaque' ? 'content' : type} left out${place}]` };
  }
}

function placeOf(of: { readonly message: Message; readonly part: Part; readonly handle: number | undefined }): string {
  if (of.handle === undefined) return '';
  const { parts, role } = of.message;
  // An answer may have lost its thoughts, and with them the numbers of its parts.
  const number = parts.length === 1 || role === 'assistant' ? '' : `.${parts.indexOf(of.part) + 1}`;
  return `; recall @${of.handle}${number} for all of it`;
}
