import { Command, type HelpContext } from 'commander';
import { LonghaulError } from 'longhaul';
import { promptCommand } from './argv.ts';
import { closest } from './text/closest.ts';

/**
 * Commander's `Command`, except that errors are `LonghaulError`s and the process is never ended.
 *
 * @example
 * new LonghaulCommand('longhaul').command('check').argument('<file>');
 */
export class LonghaulCommand extends Command {
  override createCommand(name?: string): LonghaulCommand {
    return new LonghaulCommand(name).exitOverride();
  }

  /** Commander prints the program's help for `help nope`; an unknown command is an error here too. */
  override help(context?: HelpContext | ((text: string) => string)): never {
    const [first, wanted] = this.args;
    if (typeof context === 'object' && context.error && first === 'help' && wanted !== undefined) {
      const near = closest({ word: wanted, candidates: this.commands.map((command) => command.name()) });
      const guess = near === undefined ? '' : `\n(Did you mean ${near}?)`;
      this.error(`error: unknown command '${wanted}'${guess}`, { code: 'commander.unknownCommand' });
    }
    return typeof context === 'function' ? super.help(context) : super.help(context);
  }

  override error(message: string, options?: { readonly code?: string }): never {
    // The command behind `-p` is hidden, so its name must not appear in errors.
    const text = message.replace(` for '${promptCommand}'`, '');
    const prompt =
      this.parent === null && options?.code === 'commander.unknownCommand' ? promptIn(this.args) : undefined;
    const command = nameOf({ command: this });
    throw usageError({ command, parserCode: options?.code, message: text, prompt });
  }
}

/** Words in place of a command that are more likely a prompt: a sentence, quoted or not. */
function promptIn(words: readonly string[]): string | undefined {
  const text = words.join(' ');
  return words[0] !== 'help' && /\s/.test(text.trim()) ? text : undefined;
}

/** The command as typed, e.g. `longhaul config show`. */
function nameOf({ command }: { readonly command: Command }): string {
  if (command.name() === promptCommand) return 'longhaul -p';
  return command.parent ? `${nameOf({ command: command.parent })} ${command.name()}` : command.name();
}

/** Our error codes for Commander's. */
const codes: Readonly<Record<string, string>> = {
  'commander.unknownCommand': 'unknown-command',
  'commander.unknownOption': 'unknown-option',
  'commander.missingArgument': 'missing-argument',
  'commander.excessArguments': 'too-many-arguments',
  'commander.optionMissingArgument': 'missing-value',
};

/**
 * Converts an error of the command-line parser.
 *
 * @example
 * throw usageError({ command: 'longhaul check', parserCode: 'commander.unknownOption', message: "error: unknown option '--foo'" });
 */
function usageError({
  command,
  parserCode,
  message,
  prompt,
}: {
  /** The command as typed. */
  readonly command: string;
  readonly parserCode: string | undefined;
  /** Commander's message: `error: …`, optionally followed by a line `(Did you mean …?)`. */
  readonly message: string;
  /** The words that may be meant as a prompt. */
  readonly prompt: string | undefined;
}): LonghaulError {
  const [first = '', second = ''] = message.replace(/^error: /, '').split('\n');
  const guess = /^\(Did you mean (.+)\?\)$/.exec(second)?.[1];
  const problem = first
    .replace(/\.$/, '')
    .replace('. Expected', ': expected')
    .replace(/ argument missing$/, ' needs a value')
    .replaceAll("'", '"');
  return new LonghaulError({
    code: (parserCode !== undefined && codes[parserCode]) || 'bad-usage',
    message: guess === undefined ? `${capitalized(problem)}.` : `${capitalized(problem)}. Did you mean ${guess}?`,
    hint:
      prompt !== undefined && guess === undefined
        ? `To run the agent with this prompt: longhaul -p ${JSON.stringify(prompt)}`
        : `Run \`${command} --help\` for usage.`,
  });
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
