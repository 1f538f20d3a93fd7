import type { JsonObject } from '../../../json.ts';
import { defaultCommandTimeout, type ShellCommand } from './command.ts';
import { type CommandExit, type RunCommand, runCommand } from './run.ts';

/** Where hooks run, and with what. */
export interface ShellPlace {
  /** The folder that commands run in; the one of this process by default. */
  readonly cwd?: string;
  /** The environment to choose from; that of this process by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Runs one command; by default as a process of its own. */
  readonly run?: RunCommand;
}

/**
 * Runs a command as a hook, for the engine and for the agent: the input is one line of JSON on its standard input.
 *
 * @example
 * const ended = await runHookCommand({ command: { command: './check.sh' }, input: { trigger: 'manual' }, signal });
 */
export async function runHookCommand({
  command: { command, timeout = defaultCommandTimeout, env = [] },
  input,
  signal,
  cwd = process.cwd(),
  environment = process.env,
  run = runCommand,
}: ShellPlace & {
  readonly command: ShellCommand;
  readonly input: JsonObject;
  readonly signal: AbortSignal | undefined;
}): Promise<CommandExit> {
  return await run({
    command,
    cwd,
    env: hookEnvironment({ from: environment, named: env, folder: cwd }),
    input: `${JSON.stringify(input)}\n`,
    timeout: timeout * 1_000,
    signal,
  });
}

type HookEnvironment = Readonly<Record<string, string | undefined>>;

/** What a shell and the programs in it need. None of these contains a key. */
const defaultVariables = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'LC_ALL', 'LC_CTYPE', 'TZ'],
  ...['TMPDIR', 'TMP', 'TEMP', 'XDG_RUNTIME_DIR'],
  // Without these nothing starts on Windows.
  ...['SystemRoot', 'SystemDrive', 'ComSpec', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles'],
];

/**
 * The environment of a hook: what a shell needs, and the variables that the user named. Hooks must not see the API keys of
 * the agent.
 */
function hookEnvironment({
  from,
  named = [],
  folder,
}: {
  readonly from: HookEnvironment;
  readonly named?: readonly string[];
  readonly folder: string;
}): Record<string, string> {
  const wanted = new Set([...defaultVariables, ...named].map((name) => name.toUpperCase()));
  const kept = Object.entries(from).flatMap(([name, value]): [string, string][] =>
    value !== undefined && wanted.has(name.toUpperCase()) ? [[name, value]] : [],
  );
  // Scripts for Claude Code read this name.
  return { ...Object.fromEntries(kept), CLAUDE_PROJECT_DIR: folder };
}
