import type { Io } from '../io/io.ts';
import type { Print } from './print.ts';

/** C1 control characters: JSON does not escape them, and some terminals interpret them. */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A value as one line of JSON that is safe to print on a terminal.
 *
 * @example
 * jsonLine({ text: 'a\u009b2J' }); // '{"text":"a\\u009b2J"}\n'
 */
export function jsonLine(value: object): string {
  const text = JSON.stringify(value).replace(
    obeyed,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${text}\n`;
}

/**
 * Prints the events of a run as JSON, one per line, on standard output (see docs/agent.md).
 *
 * @example
 * const print = printJson({ io });
 * for await (const event of agent.run({ prompt })) await print(event);
 */
export function printJson({ io }: { readonly io: Pick<Io, 'stdout'> }): Print {
  return (event) => io.stdout.write(jsonLine(event));
}
