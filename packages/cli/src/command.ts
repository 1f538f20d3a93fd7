import { Command, type HelpContext } from 'commander';
import { LonghaulError } from 'longhaul';
import { promptCommand } from './agent/with-prompt.ts';
import { closest } from './text/closest.ts';

/**
 * Commander's command, except that its objections are members of our error family and nothing ends the process.
 *
 * @example
 * new LonghaulCommand('longhaul').command('check').argument('<file>');
 */
export class LonghaulCommand extends Command {
  override createCommand(name?: string): LonghaulCommand {
    return new LonghaulCommand(name).exitOverride();
  }

  /** Commander answers `help nope` with the help of the whole, as if nothing had been asked for. */
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
    // `-p` has no name of its own that a person could know.
    const words = message.replace(` for '${promptCommand}'`, '');
    throw usageError({ command: nameOf({ command: this }), parserCode: options?.code, message: words });
  }
}

/** The command as a person types it, e.g. `longhaul config show`. */
function nameOf({ command }: { readonly command: Command }): string {
  if (command.name() === promptCommand) return 'longhaul -p';
  return command.parent ? `${nameOf({ command: command.parent })} ${command.name()}` : command.name();
}

/** Our names for what the parser of the command line objects to. */
const codes: Readonly<Record<string, string>> = {
  'commander.unknownCommand': 'unknown-command',
  'commander.unknownOption': 'unknown-option',
  'commander.missingArgument': 'missing-argument',
  'commander.excessArguments': 'too-many-arguments',
  'commander.optionMissingArgument': 'missing-value',
};

/**
 * An objection of the command-line parser as a member of the one error family.
 *
 * @example
 * throw usageError({ command: 'longhaul check', parserCode: 'commander.unknownOption', message: "error: unknown option '--foo'" });
 */
function usageError({
  command,
  parserCode,
  message,
}: {
  /** The command as a person types it. */
  readonly command: string;
  readonly parserCode: string | undefined;
  /** The parser's words: `error: …`, and on a second line perhaps `(Did you mean …?)`. */
  readonly message: string;
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
    message: guess === undefined ? `${problem}.` : `${problem}; did you mean ${guess}?`,
    hint: `Run \`${command} --help\` to see what it takes.`,
  });
}
