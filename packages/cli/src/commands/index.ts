import type { Command } from 'commander';
import packageFile from '../../package.json' with { type: 'json' };
import { firstWord, promptCommand } from '../argv.ts';
import { LonghaulCommand } from '../command.ts';
import { formatHelp, programHelp } from '../help.ts';
import type { Bind } from '../invocation.ts';
import { addSettingFlags } from '../settings/flags.ts';

/** Adds a command to the program. */
type AddCommand = (input: { readonly program: Command; readonly bind: Bind }) => void;

/** What `longhaul --help` needs to know about a command before its file is loaded. */
interface CommandEntry {
  readonly name: string;
  /** The command with its arguments or subcommands, as listed in the help. */
  readonly term: string;
  readonly summary: string;
  /** Whether what follows its first argument belongs to another program. */
  readonly passesArguments?: true;
  readonly load: () => Promise<AddCommand>;
}

/** Every command, in the order of the help. */
export const commands: readonly CommandEntry[] = [
  { name: promptCommand, term: '', summary: '', load: async () => (await import('./agent.ts')).addAgentCommand },
  {
    name: 'demo',
    term: 'demo',
    summary: 'watch an agent work in a small context window, in half a minute',
    load: async () => (await import('./demo.ts')).addDemoCommand,
  },
  {
    name: 'wrap',
    term: 'wrap CLIENT [ARGUMENTS…]',
    summary: 'run claude, codex, opencode, … in a conversation that never outgrows its window',
    passesArguments: true,
    load: async () => (await import('./wrap.ts')).addWrapCommand,
  },
  {
    name: 'run',
    term: 'run [SCRIPT]',
    summary: 'run the agent with scripted model answers',
    load: async () => (await import('./run.ts')).addRunCommand,
  },
  {
    name: 'gateway',
    term: 'gateway report',
    summary: 'keep any agent inside its context window: one base URL',
    load: async () => (await import('./gateway.ts')).addGatewayCommand,
  },
  {
    name: 'mcp',
    term: 'mcp list|add|remove|login|logout',
    summary: 'MCP servers of the agent; alone: give any MCP client recall over earlier sessions',
    load: async () => (await import('./mcp.ts')).addMcpCommand,
  },
  {
    name: 'agents',
    term: 'agents',
    summary: 'list custom agents, commands, skills and extensions',
    load: async () => (await import('./agents.ts')).addAgentsCommand,
  },
  {
    name: 'trust',
    term: 'trust',
    summary: 'show what this project would run, such as MCP servers, and trust it',
    load: async () => (await import('./trust.ts')).addTrustCommand,
  },
  {
    name: 'acp',
    term: 'acp',
    summary: 'run the agent inside an editor (Agent Client Protocol)',
    load: async () => (await import('./acp.ts')).addAcpCommand,
  },
  {
    name: 'install',
    term: 'install CLIENT',
    summary: 'add recall to Claude Code, Gemini CLI, opencode or Copilot CLI',
    load: async () => (await import('./install.ts')).addInstallCommand,
  },
  {
    name: 'uninstall',
    term: 'uninstall CLIENT',
    summary: 'remove it again',
    load: async () => (await import('./install.ts')).addUninstallCommand,
  },
  {
    name: 'receive-hook',
    term: 'receive-hook',
    summary: 'handle a hook of another agent, as `install` sets it up',
    load: async () => (await import('./receive-hook.ts')).addReceiveHookCommand,
  },
  {
    name: 'check',
    term: 'check FILE',
    summary: 'validate a conversation file; write a repaired copy',
    load: async () => (await import('./check.ts')).addCheckCommand,
  },
  {
    name: 'count',
    term: 'count FILE…',
    summary: 'count the tokens of files',
    load: async () => (await import('./count.ts')).addCountCommand,
  },
  {
    name: 'outline',
    term: 'outline FILE',
    summary: 'show the important parts of a file, within a token budget',
    load: async () => (await import('./outline.ts')).addOutlineCommand,
  },
  {
    name: 'changes',
    term: 'changes [REV]',
    summary: 'show a diff with the surrounding definitions, within a token budget',
    load: async () => (await import('./changes.ts')).addChangesCommand,
  },
  {
    name: 'search-code',
    term: 'search-code QUERY…',
    summary: 'find the code that a question is about',
    load: async () => (await import('./search-code.ts')).addSearchCodeCommand,
  },
  {
    name: 'complete',
    term: 'complete FILE:LINE:COL',
    summary: 'show the context of a code completion at a cursor',
    load: async () => (await import('./complete.ts')).addCompleteCommand,
  },
  {
    name: 'import',
    term: 'import [FILE…]',
    summary: 'import conversations and sessions of other agents',
    load: async () => (await import('./import.ts')).addImportCommand,
  },
  {
    name: 'handoff',
    term: 'handoff AGENT [SESSION]',
    summary: 'continue a session in a new one of claude, codex, gemini, …',
    load: async () => (await import('./handoff.ts')).addHandoffCommand,
  },
  {
    name: 'export',
    term: 'export SESSION',
    summary: 'export a session: HTML, Markdown, JSONL, request JSON',
    load: async () => (await import('./export.ts')).addExportCommand,
  },
  {
    name: 'transcript',
    term: 'transcript SESSION',
    summary: 'write a readable transcript that follows its session',
    load: async () => (await import('./transcript.ts')).addTranscriptCommand,
  },
  {
    name: 'sessions',
    term: 'sessions [TEXT]',
    summary: 'list or find sessions',
    load: async () => (await import('./sessions.ts')).addSessionsCommand,
  },
  {
    name: 'show',
    term: 'show SESSION',
    summary: 'print a session, or one of its entries',
    load: async () => (await import('./show.ts')).addShowCommand,
  },
  {
    name: 'tree',
    term: 'tree SESSION',
    summary: 'draw the branches of a session',
    load: async () => (await import('./tree.ts')).addTreeCommand,
  },
  {
    name: 'context',
    term: 'context SESSION',
    summary: 'show what the model is sent, and how full its window is',
    load: async () => (await import('./context.ts')).addContextCommand,
  },
  {
    name: 'search',
    term: 'search QUERY…',
    summary: 'full-text search in all sessions or in one',
    load: async () => (await import('./search.ts')).addSearchCommand,
  },
  {
    name: 'recall',
    term: 'recall SESSION HANDLE',
    summary: 'print the exact text of an entry',
    load: async () => (await import('./recall.ts')).addRecallCommand,
  },
  {
    name: 'memory',
    term: 'memory COMMAND',
    summary: 'what earlier sessions learned about this repository',
    load: async () => (await import('./memory.ts')).addMemoryCommand,
  },
  {
    name: 'move',
    term: 'move SESSION HANDLE',
    summary: 'move the session to another entry',
    load: async () => (await import('./move.ts')).addMoveCommand,
  },
  {
    name: 'rewind',
    term: 'rewind SESSION HANDLE',
    summary: 'move the session back to an earlier entry of its path',
    load: async () => (await import('./move.ts')).addRewindCommand,
  },
  {
    name: 'branch',
    term: 'branch SESSION',
    summary: 'continue from another entry, with a summary of what was tried',
    load: async () => (await import('./branch.ts')).addBranchCommand,
  },
  {
    name: 'frontier',
    term: 'frontier SESSION',
    summary: 'show the state of the work: tasks, commands, tests, files',
    load: async () => (await import('./frontier.ts')).addFrontierCommand,
  },
  {
    name: 'compact',
    term: 'compact SESSION',
    summary: 'replace old messages with a summary',
    load: async () => (await import('./compact.ts')).addCompactCommand,
  },
  {
    name: 'checkpoints',
    term: 'checkpoints SESSION [N]',
    summary: 'list the compactions in force: titles, sizes, summaries',
    load: async () => (await import('./checkpoints.ts')).addCheckpointsCommand,
  },
  {
    name: 'watch',
    term: 'watch SESSION',
    summary: "follow the engine's decisions about a session, one line each",
    load: async () => (await import('./watch.ts')).addWatchCommand,
  },
  {
    name: 'prune',
    term: 'prune SESSION',
    summary: 'remove old tool outputs from what the model is sent',
    load: async () => (await import('./prune.ts')).addPruneCommand,
  },
  {
    name: 'edit',
    term: 'edit SESSION HANDLE [TEXT]',
    summary: 'change a message in what the model is sent, or leave it out',
    load: async () => (await import('./edit.ts')).addEditCommand,
  },
  {
    name: 'undo',
    term: 'undo SESSION',
    summary: 'undo the last compaction, edit, move or rewind',
    load: async () => (await import('./undo.ts')).addUndoCommand,
  },
  {
    name: 'redo',
    term: 'redo SESSION',
    summary: 'redo what was undone',
    load: async () => (await import('./undo.ts')).addRedoCommand,
  },
  {
    name: 'pin',
    term: 'pin SESSION [TEXT]',
    summary: 'list or add rules that every compaction keeps word for word',
    load: async () => (await import('./pin.ts')).addPinCommand,
  },
  {
    name: 'fork',
    term: 'fork SESSION',
    summary: 'copy a session and continue in the copy',
    load: async () => (await import('./fork.ts')).addForkCommand,
  },
  {
    name: 'name',
    term: 'name SESSION [NAME]',
    summary: 'name a session',
    load: async () => (await import('./name.ts')).addNameCommand,
  },
  {
    name: 'label',
    term: 'label SESSION HANDLE [NAME]',
    summary: 'name an entry',
    load: async () => (await import('./label.ts')).addLabelCommand,
  },
  {
    name: 'delete',
    term: 'delete SESSION…',
    summary: 'delete sessions permanently',
    load: async () => (await import('./delete.ts')).addDeleteCommand,
  },
  {
    name: 'doctor',
    term: 'doctor [SESSION]',
    summary: 'check the store for damage; repair it',
    load: async () => (await import('./doctor.ts')).addDoctorCommand,
  },
  {
    name: 'prompt',
    term: 'prompt render|trace',
    summary: 'render a prompt within a token budget, or trace how it is rendered',
    load: async () => (await import('./prompt.ts')).addPromptCommand,
  },
  {
    name: 'stats',
    term: 'stats [SESSION]',
    summary: 'show the size of the store, or of one session',
    load: async () => (await import('./stats.ts')).addStatsCommand,
  },
  {
    name: 'models',
    term: 'models check',
    summary: 'list the usable models, and what the others need',
    load: async () => (await import('./models.ts')).addModelsCommand,
  },
  {
    name: 'presets',
    term: 'presets [NAME]',
    summary: 'compare the compaction presets',
    load: async () => (await import('./presets.ts')).addPresetsCommand,
  },
  {
    name: 'hooks',
    term: 'hooks test',
    summary: 'test the configured hooks',
    load: async () => (await import('./hooks.ts')).addHooksCommand,
  },
  {
    name: 'config',
    term: 'config show|schema',
    summary: 'show the settings in force, or their schema',
    load: async () => (await import('./config.ts')).addConfigCommand,
  },
];

/** Receives the parser's own output: help and version. */
export interface ParserOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly columns: number;
}

/**
 * Builds the parser of the command line. Only the commands that `argv` names are loaded; the others are registered with
 * name and summary, which is all that help and suggestions need.
 *
 * @example
 * const program = await buildProgram({ argv: ['check', 'a.json'], bind, output });
 * await program.parseAsync(['check', 'a.json'], { from: 'user' });
 */
export async function buildProgram({
  argv,
  bind,
  output,
}: {
  readonly argv: readonly string[];
  readonly bind: Bind;
  readonly output: ParserOutput;
}): Promise<LonghaulCommand> {
  const terms = new Map(commands.map(({ name, term }) => [name, term]));
  const program = new LonghaulCommand('longhaul');
  program
    .exitOverride()
    .configureOutput({
      writeOut: output.out,
      writeErr: output.err,
      getOutHelpWidth: () => output.columns,
      getErrHelpWidth: () => output.columns,
    })
    .configureHelp({
      showGlobalOptions: true,
      formatHelp,
      subcommandTerm: (command) =>
        (command.parent === program && terms.get(command.name())) || commandTerm({ command }),
    })
    .description("Keeps an agent's conversation inside its model's context window, for days, without losing anything.")
    .usage('-p "…" [options]\n       longhaul COMMAND [options]')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [COMMAND]', 'show help for a command')
    .version(packageFile.version, '--version', 'print the version')
    .option(
      '--json',
      'print JSON on standard output, also for errors: one value, or one per line while something runs',
    );
  addSettingFlags({ command: program, keys: ['color', 'debug'] });
  const typed = firstWord(argv);
  const passesArguments = commands.some((command) => command.passesArguments && command.name === typed);
  program.enablePositionalOptions(passesArguments);
  for (const { name, summary, load } of commands) {
    if (argv.includes(name)) (await load())({ program, bind });
    else program.command(name, { hidden: name === promptCommand });
    const command = program.commands.find((one) => one.name() === name)?.summary(summary);
    if (passesArguments && name === typed) command?.passThroughOptions();
  }
  program.addHelpText('after', programHelp());
  return program;
}

/**
 * A command with its subcommands and arguments, for a list of commands. Options are left out: every command has some.
 *
 * @example
 * commandTerm({ command: new Command('check').argument('<FILE>') }); // 'check FILE'
 */
export function commandTerm({ command }: { readonly command: Command }): string {
  // A long list of subcommands is left to the help of the command.
  const children = command.commands.length > 5 ? 'COMMAND' : command.commands.map((child) => child.name()).join('|');
  const names = command.registeredArguments.map((argument) => {
    const word = argument.variadic ? `${argument.name()}…` : argument.name();
    return argument.required ? word : `[${word}]`;
  });
  return [command.name(), children, ...names].filter((word) => word !== '').join(' ');
}
