import { parse } from 'jsonc-parser';
import { isRecord } from '../../input/is-record.ts';

/**
 * A value inside a JSON text that may have comments; `undefined` if the text is not JSON or has no such member.
 *
 * @example
 * valueAt({ text: '{ "env": { "A": "1" } }', path: ['env', 'A'] }); // '1'
 */
export function valueAt({
  text,
  path,
}: {
  readonly text: string | undefined;
  readonly path: readonly string[];
}): unknown {
  let value: unknown = text === undefined ? undefined : parse(text, [], { allowTrailingComma: true });
  for (const member of path) value = isRecord(value) ? value[member] : undefined;
  return value;
}

/** The same, if it is a text that is not empty. */
export function textAt(input: {
  readonly text: string | undefined;
  readonly path: readonly string[];
}): string | undefined {
  const value = valueAt(input);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
