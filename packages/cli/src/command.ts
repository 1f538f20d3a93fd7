import { Command, type HelpContext } from 'commander';
import { promptCommand } from './agent/with-prompt.ts';
import { usageError } from './errors/usage.ts';
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
