import { styleText } from 'node:util';
import type { OutputStream, ProcessEnvironment } from '../io/io.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/** Colors, or plain text if colors are off. */
export interface Paint {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
}

/**
 * The colors of a stream. The setting decides; with `auto` the conventions NO_COLOR, FORCE_COLOR and TERM=dumb do, then
 * whether the stream is a terminal.
 *
 * @example
 * const paint = paintFor({ output: io.stdout, choice: 'auto', env: io.env });
 * await io.stdout.write(paint.good('legal'));
 */
export function paintFor({
  output,
  choice,
  env,
}: {
  readonly output: Pick<OutputStream, 'isTerminal'>;
  readonly choice: ColorChoice;
  readonly env: ProcessEnvironment;
}): Paint {
  const enabled = choice === 'auto' ? automatic({ output, env }) : choice === 'always';
  const style = (format: 'green' | 'red' | 'bold' | 'dim') => (text: string) =>
    enabled ? styleText(format, text, { validateStream: false }) : text;
  return { good: style('green'), bad: style('red'), strong: style('bold'), faint: style('dim') };
}

function automatic({ output, env }: { output: Pick<OutputStream, 'isTerminal'>; env: ProcessEnvironment }): boolean {
  // https://no-color.org: present and not empty. It overrides FORCE_COLOR.
  if (env.NO_COLOR) return false;
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  return output.isTerminal && env.TERM !== 'dumb';
}
