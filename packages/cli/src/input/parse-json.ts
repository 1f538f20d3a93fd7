import { LonghaulError } from 'longhaul';
import { jsonFault } from './json-fault.ts';

/**
 * The value of a JSON text, or an error that says where the text stops being JSON.
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
  /** What the text is called in sentences about it. */
  readonly name: string;
  /** The number of the text's first line, where it is one line of many. */
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
  const found = fault.offset >= text.trimEnd().length ? 'the text ends' : `there is ${quoted(text, fault.offset)}`;
  return new LonghaulError({
    code: 'not-json',
    message: `${name} is not JSON: at line ${line}, column ${column} ${found} where ${fault.expected} should stand.`,
    hint: 'Correct that place and try again.',
    cause: error,
  });
}

function quoted(text: string, offset: number): string {
  return JSON.stringify(String.fromCodePoint(text.codePointAt(offset) ?? 0));
}
