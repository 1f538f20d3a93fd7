import type { ProcessEnvironment } from './io/io.ts';
import type { ColorChoice } from './text/paint.ts';

/** The command that `longhaul -p` runs. It is hidden from help. */
export const promptCommand = 'agent';

/** Flags of the program itself. */
const programFlag = /^(?:-h|--help|--version)$/;

/** Flags allowed before the name of any command. */
const globalFlag = /^--(?:json|(?:no-)?debug|no-color|color(?:=.*)?)$/;

/**
 * Inserts the name of the agent command where none is given: before flags (`-p`, `--continue`, `--model`), and without any
 * argument. The flags cannot be options of the program itself: Commander would then take them
 * from commands with options of the same name.
 *
 * @example
 * withPrompt({ argv: ['-p', 'hi', '--json'] }); // ['agent', '-p', 'hi', '--json']
 */
export function withPrompt({ argv }: { readonly argv: readonly string[] }): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  if (isBare(argv)) return [promptCommand, ...argv];
  const first = firstWord(flags);
  // After the name of a command, flags belong to that command.
  const isAgents = first.startsWith('-') && (!programFlag.test(first) || flags.some((word) => promptFlag.test(word)));
  return isAgents ? [promptCommand, ...argv] : argv;
}

/** The flag of the prompt, also before or after `--help`. */
const promptFlag = /^(?:-p.*|--prompt(?:=.*)?)$/s;

/** Whether the command line has at most flags that every command has. */
export function isBare(argv: readonly string[]): boolean {
  return argv.every((word, at) => globalFlag.test(word) || argv[at - 1] === '--color');
}

/**
 * The first word that is not a flag of the program: the name of the command, or a flag of the agent.
 *
 * @example
 * firstWord(['--color', 'never', 'check', 'a.json']); // 'check'
 */
export function firstWord(argv: readonly string[]): string {
  return argv.find((word, at) => !globalFlag.test(word) && argv[at - 1] !== '--color') ?? '';
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
  // What follows `wrap` belongs to another program.
  const end = firstWord(argv) === 'wrap' ? argv.indexOf('wrap') : argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const color = flags.includes('--no-color')
    ? 'never'
    : /(?:^|\n)--color[=\n](always|never)(?:\n|$)/.exec(flags.join('\n'))?.[1];
  return {
    json: flags.includes('--json') || /(?:^|\n)--(?:in|out)put-format[=\n]stream-json(?:\n|$)/.test(flags.join('\n')),
    jsonLines: argv[0] === promptCommand || argv[0] === 'run',
    debug: flags.includes('--debug') || (!flags.includes('--no-debug') && isYes(env.LONGHAUL_DEBUG)),
    color: color === 'never' || color === 'always' ? color : 'auto',
  };
}

function isYes(text: string | undefined): boolean {
  return /^(true|1|yes|on)$/i.test(text ?? '');
}
