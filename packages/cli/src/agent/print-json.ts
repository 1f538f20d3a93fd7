import type { Io } from '../io/io.ts';
import type { Print } from './print.ts';

/** JSON leaves these as they are, and terminals obey some of them; escaped they mean the same. */
const obeyed = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A value on one line that a terminal shows and does not obey.
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
 * Tells a run to programs: one event a line on standard output, as docs/agent.md lists them.
 *
 * @example
 * const print = printJson({ io });
 * for await (const event of agent.run({ prompt })) await print(event);
 */
export function printJson({ io }: { readonly io: Pick<Io, 'stdout'> }): Print {
  return (event) => io.stdout.write(jsonLine(event));
}
