/** The command that `-p` stands for; nobody types its name. */
export const promptCommand = 'agent';

/** Flags that nobody but the agent has. */
const own = /^(?:-p.*|--prompt(?:=.*)?|-c|--continue|--session(?:=.*)?)$/s;

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
  const [first = ''] = flags;
  return first.startsWith('-') && flags.some((word) => own.test(word)) ? [promptCommand, ...argv] : argv;
}
