import type { ProcessEnvironment } from './io/io.ts';
import type { ColorChoice } from './text/paint.ts';

/** The command that `longhaul -p` runs. It is hidden from help. */
export const promptCommand = 'agent';

/** Flags that only the agent has. */
const agentFlag = /^(?:-p.*|--prompt(?:=.*)?|-c|--continue|--session(?:=.*)?)$/s;

/** Flags allowed before the name of any command. */
const globalFlag = /^--(?:json|(?:no-)?debug|no-color|color(?:=.*)?)$/;

/**
 * Inserts the name of the agent command where `-p` is used without one. The flags cannot be options of the program
 * itself: Commander would then take them from commands with options of the same name.
 *
 * @example
 * withPrompt(['-p', 'hi', '--json']); // ['agent', '-p', 'hi', '--json']
 */
export function withPrompt(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const first = flags.find((word, at) => !globalFlag.test(word) && flags[at - 1] !== '--color') ?? '';
  // After the name of a command, these flags belong to that command.
  return first.startsWith('-') && flags.some((word) => agentFlag.test(word)) ? [promptCommand, ...argv] : argv;
}

/** Output format as far as it is known before parsing. */
export interface EarlyFlags {
  readonly json: boolean;
  /** Whether the output is one JSON value per line. */
  readonly jsonLines: boolean;
  readonly debug: boolean;
  readonly color: ColorChoice;
}

/**
 * Finds the flags that decide how an error is printed. Parsing itself may fail, so they are read before it.
 *
 * @example
 * earlyFlags({ argv: ['chekc', '--json'], env: {} }).json; // true
 */
export function earlyFlags({
  argv,
  env,
}: {
  readonly argv: readonly string[];
  readonly env: ProcessEnvironment;
}): EarlyFlags {
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
