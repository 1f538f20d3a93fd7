/** The command that `-p` stands for; nobody types its name. */
export const promptCommand = 'agent';

/** Flags that nobody but the agent has. */
const own = /^(?:-p.*|--prompt(?:=.*)?|-c|--continue|--session(?:=.*)?)$/s;

/** Flags that may stand before the name of any command. */
const everywhere = /^--(?:json|(?:no-)?debug|no-color|color(?:=.*)?)$/;

/**
 * The command line with the name of the command that `-p` means: flags of the whole program would be taken away from
 * the commands that have their own of the same name.
 *
 * @example
 * withPrompt(['-p', 'hi', '--json']); // ['agent', '-p', 'hi', '--json']
 */
export function withPrompt(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end === -1 ? argv : argv.slice(0, end);
  const first = flags.find((word, at) => !everywhere.test(word) && flags[at - 1] !== '--color') ?? '';
  // Behind the name of a command these are that command's.
  return first.startsWith('-') && flags.some((word) => own.test(word)) ? [promptCommand, ...argv] : argv;
}
