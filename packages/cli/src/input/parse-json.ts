import { LonghaulError } from 'longhaul';

/**
 * Parses JSON; the error says where the text is invalid.
 *
 * @example
 * parseJsonText({ text: '[1, 2]', name: 'a.json' });
 */
export function parseJsonText({
  text,
  name,
  firstLine = 1,
}: {
  readonly text: string;
  /** Its name in messages. */
  readonly name: string;
  /** The line number of the text's first line, if it is part of a larger file. */
  readonly firstLine?: number;
}): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson({ text, name, firstLine, error });
  }
}

function notJson({
  text,
  name,
  firstLine,
  error,
}: {
  text: string;
  name: string;
  firstLine: number;
  error: unknown;
}): LonghaulError {
  const fault = jsonFault(text) ?? { offset: 0, expected: 'JSON' };
  const before = text.slice(0, fault.offset);
  const line = firstLine + before.split('\n').length - 1;
  const column = fault.offset - before.lastIndexOf('\n');
  const found = fault.offset >= text.trimEnd().length ? 'the text ends' : `found ${quoted(text, fault.offset)}`;
  return new LonghaulError({
    code: 'not-json',
    message: `${name} is not valid JSON: line ${line}, column ${column}: ${found}, expected ${fault.expected}.`,
    hint: 'Correct it and try again.',
    cause: error,
  });
}

function quoted(text: string, offset: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
}

/** Where a text stops being JSON, and what was expected there. */
interface JsonFault {
  /** In UTF-16 units from the start of the text. */
  readonly offset: number;
  readonly expected: string;
}

const literals = ['true', 'false', 'null'];
const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/**
 * Finds the first error in a text that is not JSON; `undefined` if there is none. The messages of `JSON.parse` differ
 * between engines and often have no position. Iterative, so that deep nesting is no problem.
 *
 * @example
 * jsonFault('[1,]'); // { offset: 3, expected: 'a value' }
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: ('[' | '{')[] = [];
  let offset = 0;
  let state: 'value' | 'value or end' | 'key' | 'key or end' | 'after' = 'value';
  for (;;) {
    offset = skipSpace({ text, offset });
    const inside = open.at(-1);
    const closing = inside === '[' ? ']' : '}';
    const character = text[offset];

    if (state === 'after') {
      if (inside === undefined) return character === undefined ? undefined : { offset, expected: 'the end' };
      if (character === closing) open.pop();
      else if (character === ',') state = inside === '[' ? 'value' : 'key';
      else return { offset, expected: `"," or "${closing}"` };
      offset += 1;
      continue;
    }
    if (character === closing && (state === 'value or end' || state === 'key or end')) {
      open.pop();
      state = 'after';
      offset += 1;
      continue;
    }
    if (state === 'key' || state === 'key or end') {
      if (character !== '"')
        return { offset, expected: state === 'key' ? 'a key in quotes' : 'a key in quotes or "}"' };
      const string = skipString({ text, offset });
      if (typeof string !== 'number') return string;
      offset = skipSpace({ text, offset: string });
      if (text[offset] !== ':') return { offset, expected: '":"' };
      offset += 1;
      state = 'value';
      continue;
    }
    if (character === '[' || character === '{') {
      open.push(character);
      state = character === '[' ? 'value or end' : 'key or end';
      offset += 1;
      continue;
    }
    const end = character === '"' ? skipString({ text, offset }) : skipWord({ text, offset });
    if (end === undefined) return { offset, expected: state === 'value' ? 'a value' : 'a value or "]"' };
    if (typeof end !== 'number') return end;
    offset = end;
    state = 'after';
  }
}

function skipSpace({ text, offset }: { text: string; offset: number }): number {
  let at = offset;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return at;
}

function skipWord({ text, offset }: { text: string; offset: number }): number | undefined {
  const literal = literals.find((word) => text.startsWith(word, offset));
  if (literal) return offset + literal.length;
  number.lastIndex = offset;
  return number.test(text) ? number.lastIndex : undefined;
}

function skipString({ text, offset }: { text: string; offset: number }): number | JsonFault {
  let at = offset + 1;
  for (;;) {
    const code = text.charCodeAt(at);
    if (Number.isNaN(code)) return { offset: at, expected: 'the closing quote of a string' };
    if (code === 0x22) return at + 1;
    if (code < 0x20) return { offset: at, expected: 'the closing quote of a string, or an escape such as \\n' };
    if (code !== 0x5c) {
      at += 1;
      continue;
    }
    escaped.lastIndex = at;
    if (!escaped.test(text)) return { offset: at, expected: 'an escape such as \\n or \\u00e9' };
    at = escaped.lastIndex;
  }
}
