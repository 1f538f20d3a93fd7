import type { ContentPart, Message, Part } from '../../message/index.ts';
import { shorten } from './shorten.ts';
import { waterFill } from './water-fill.ts';

/** Token counts of a text, and of a message as its provider counts it. */
export interface TokenCounter {
  readonly count: (text: string) => number;
  readonly countMessage: (message: Message) => number;
}

/**
 * Reduces a message: keeps the beginning and the end of long texts, with the handle of the whole. Calls and results stay
 * paired, arguments stay JSON, thinking is kept (it cannot be cut, and some providers reject calls without it), images
 * become a line of text. The result has about `limit` tokens, or its minimum.
 *
 * @example
 * reduceMessage({ message, handle: 12, limit: 2000, counter });
 */
export function reduceMessage({
  message,
  handle,
  limit,
  counter,
}: {
  readonly message: Message;
  /** The handle of the whole message; absent if it is not in the log. */
  readonly handle: number | undefined;
  readonly limit: number;
  readonly counter: TokenCounter;
}): Message {
  const { parts } = message;
  const sizes = parts.map((part) => counter.countMessage({ role: message.role, parts: [part] }));
  const cap = waterFill({ sizes, total: limit });
  const reduced = parts.map((part, index): Part => {
    if ((sizes[index] ?? 0) <= cap) return part;
    return reducePart({ part, limit: Math.max(minTokens, cap), counter, place: placeOf({ message, part, handle }) });
  });
  const { wire: _wire, ...rest } = message;
  return { ...rest, parts: reduced };
}

/** Minimum tokens of a cut text; the note alone takes about half. */
const minTokens = 40;

function reducePart({
  part,
  limit,
  counter,
  place,
}: {
  readonly part: Part;
  readonly limit: number;
  readonly counter: TokenCounter;
  readonly place: string;
}): Part {
  const note = ({ chars }: { readonly chars: number }) => `[… ${chars} characters left out${place} …]`;
  const short = (text: string, most: number) => shorten({ text, limit: most, count: counter.count, note });
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
      const sizes = part.content.map((inner) => counter.countMessage({ role: 'user', parts: [inner] }));
      const cap = Math.max(minTokens, waterFill({ sizes, total: limit }));
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
  // An answer may have lost its thinking, so its part numbers may have changed.
  const number = parts.length === 1 || role === 'assistant' ? '' : `.${parts.indexOf(of.part) + 1}`;
  return `; recall @${of.handle}${number} for all of it`;
}
