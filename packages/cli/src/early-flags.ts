import { promptCommand } from './agent/with-prompt.ts';
import type { Environment } from './io/io.ts';
import type { ColorChoice } from './text/paint.ts';

/** How the answer is wanted, as far as it can be told before anything was parsed. */
export interface Wishes {
  readonly json: boolean;
  /** Whether a program reads line by line. */
  readonly jsonLines: boolean;
  readonly debug: boolean;
  readonly color: ColorChoice;
}

/**
 * Looks for the flags that decide how a failure is told, since the parser itself may be what fails.
 *
 * @example
 * wishesOf({ argv: ['chekc', '--json'], env: {} }).json; // true
 */
export function wishesOf({ argv, env }: { readonly argv: readonly string[]; readonly env: Environment }): Wishes {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const color = flags.includes('--no-color')
    ? 'never'
    : /(?:^|\n)--color[=\n](always|never)(?:\n|$)/.exec(flags.join('\n'))?.[1];
  return {
    json: flags.includes('--json'),
    jsonLines: argv[0] === promptCommand || argv[0] === 'run',
    debug: flags.includes('--debug') || (!flags.includes('--no-debug') && isYes(env.LONGHAUL_DEBUG)),
    color: color === 'never' || color === 'always' ? color : 'auto',
  };
}

function isYes(text: string | undefined): boolean {
  return /^(true|1|yes|on)$/i.test(text ?? '');
}
