import type { Command } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { LonghaulCommand } from './command.ts';
import { addAgentCommand } from './commands/agent.ts';
import { addBranchCommand } from './commands/branch.ts';
import { addChangesCommand } from './commands/changes.ts';
import { addCheckCommand } from './commands/check.ts';
import { addCheckpointsCommand } from './commands/checkpoints.ts';
import { addCompactCommand } from './commands/compact.ts';
import { addCompleteCommand } from './commands/complete.ts';
import { addConfigCommand } from './commands/config.ts';
import { addContextCommand } from './commands/context.ts';
import { addCountCommand } from './commands/count.ts';
import { addDeleteCommand } from './commands/delete.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addExportCommand } from './commands/export.ts';
import { addForkCommand } from './commands/fork.ts';
import { addFrontierCommand } from './commands/frontier.ts';
import { addHooksCommand } from './commands/hooks.ts';
import { addImportCommand } from './commands/import.ts';
import { addLabelCommand } from './commands/label.ts';
import { addModelsCommand } from './commands/models.ts';
import { addMoveCommands } from './commands/move.ts';
import { addOutlineCommand } from './commands/outline.ts';
import { addPinCommand } from './commands/pin.ts';
import { addPresetsCommand } from './commands/presets.ts';
import { addPromptCommand } from './commands/prompt.ts';
import { addPruneCommand } from './commands/prune.ts';
import { addRecallCommand } from './commands/recall.ts';
import { addRunCommand } from './commands/run.ts';
import { addSearchCommand } from './commands/search.ts';
import { addSearchCodeCommand } from './commands/search-code.ts';
import { addSessionsCommand } from './commands/sessions.ts';
import { addShowCommand } from './commands/show.ts';
import { addStatsCommand } from './commands/stats.ts';
import { addTranscriptCommand } from './commands/transcript.ts';
import { addTreeCommand } from './commands/tree.ts';
import { addUndoCommands } from './commands/undo.ts';
import { addWatchCommand } from './commands/watch.ts';
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
    .usage('-p "…" [options]\n       longhaul COMMAND [options]')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [COMMAND]', 'show help for a command')
    .version(packageFile.version, '--version', 'print the version')
    .option('--json', 'answer with one JSON value on standard output, failures too');
  addSettingFlags({ command: program, keys: ['color', 'debug'] });
  addAgentCommand({ program, bind });
  addDemoCommand({ program, bind });
  addRunCommand({ program, bind });
  addCheckCommand({ program, bind });
  addCountCommand({ program, bind });
  addOutlineCommand({ program, bind });
  addChangesCommand({ program, bind });
  addSearchCodeCommand({ program, bind });
  addCompleteCommand({ program, bind });
  addImportCommand({ program, bind });
  addExportCommand({ program, bind });
  addTranscriptCommand({ program, bind });
  addSessionsCommand({ program, bind });
  addShowCommand({ program, bind });
  addTreeCommand({ program, bind });
  addContextCommand({ program, bind });
  addSearchCommand({ program, bind });
  addRecallCommand({ program, bind });
  addMoveCommands({ program, bind });
  addBranchCommand({ program, bind });
  addFrontierCommand({ program, bind });
  addCompactCommand({ program, bind });
  addCheckpointsCommand({ program, bind });
  addWatchCommand({ program, bind });
  addPruneCommand({ program, bind });
  addUndoCommands({ program, bind });
  addPinCommand({ program, bind });
  addForkCommand({ program, bind });
  addLabelCommand({ program, bind });
  addDeleteCommand({ program, bind });
  addDoctorCommand({ program, bind });
  addPromptCommand({ program, bind });
  addStatsCommand({ program, bind });
  addModelsCommand({ program, bind });
  addPresetsCommand({ program, bind });
  addHooksCommand({ program, bind });
  addConfigCommand({ program, bind });
  program.addHelpText('after', programHelp());
  return program;
}

/** A command in the list of commands. That it takes options is left out: every one does. */
function termOf({ command }: { readonly command: Command }): string {
  const children = command.commands.map((child) => child.name()).join('|');
  const names = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? word : `[${word}]`;
  });
  return [command.name(), children, ...names].filter((word) => word !== '').join(' ');
}
