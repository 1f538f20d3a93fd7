import type { Command } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { LonghaulCommand } from './command.ts';
import { addCheckCommand } from './commands/check.ts';
import { addConfigCommand } from './commands/config.ts';
import { addCountCommand } from './commands/count.ts';
import { addDemoCommand } from './commands/demo.ts';
import { programHelp } from './help.ts';
import { formatHelp } from './help-format.ts';
import type { Bind } from './invocation.ts';
import { addSettingFlags } from './settings/flags.ts';

/** Where the parser's own texts (help, version) go. */
export interface Texts {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly columns: number;
}

/**
 * The whole command line.
 *
 * @example
 * await buildProgram({ bind, texts }).parseAsync(['check', 'a.json'], { from: 'user' });
 */
export function buildProgram({ bind, texts }: { readonly bind: Bind; readonly texts: Texts }): LonghaulCommand {
  const program = new LonghaulCommand('longhaul');
  program
    .exitOverride()
    .configureOutput({
      writeOut: texts.out,
      writeErr: texts.err,
      getOutHelpWidth: () => texts.columns,
      getErrHelpWidth: () => texts.columns,
    })
    .configureHelp({
      showGlobalOptions: true,
      formatHelp,
      subcommandTerm: (command) => termOf({ command }),
    })
    .description("Keeps an agent's conversation inside its model's window, for days, without losing anything.")
    .usage('COMMAND [options]')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [COMMAND]', 'show help for a command')
    .version(packageFile.version, '--version', 'print the version')
    .option('--json', 'answer with one JSON value on standard output, failures too');
  addSettingFlags({ command: program, keys: ['color', 'debug'] });
  addCheckCommand({ program, bind });
  addConfigCommand({ program, bind });
  addCountCommand({ program, bind });
  addDemoCommand({ program, bind });
  program.addHelpText('after', programHelp());
  return program;
}

/** A command in the list of commands. That it takes options is left out: every one does. */
function termOf({ command }: { readonly command: Command }): string {
  const children = command.commands.map((child) => child.name()).join('|');
  return [command.name(), children, ...command.registeredArguments.map((argument) => argument.name())]
    .filter((word) => word !== '')
    .join(' ');
}
