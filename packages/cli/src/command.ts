import { Command } from 'commander';
import { usageError } from './errors/usage.ts';

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

  override error(message: string, options?: { readonly code?: string }): never {
    throw usageError({ command: nameOf({ command: this }), parserCode: options?.code, message });
  }
}

/** The command as a person types it, e.g. `longhaul config show`. */
function nameOf({ command }: { readonly command: Command }): string {
  return command.parent ? `${nameOf({ command: command.parent })} ${command.name()}` : command.name();
}
