import { HookError, hookEnvironment, runCommand, type ShellCommand, type ShellPlace } from '../../../engine/index.ts';
import type { AgentHookName, AgentHooks } from '../hooks.ts';
import { type AgentShellEvent, agentShellEvents, agentShellInput, subjectOf } from './events.ts';
import { agentVerdict } from './verdict.ts';

/** The commands for each event, in the order in which they run. A matcher names tools, several with `|` between them. */
export type AgentShellCommands = { readonly [Event in AgentShellEvent]?: readonly ShellCommand[] };

/** Seconds. */
const usualTimeout = 10;

/**
 * Hooks of an agent that are commands of the user's shell. Each is a process that reads one JSON object on its standard
 * input. Exit code 2 blocks, with standard error as the reason; other exit codes and timeouts stop nothing.
 *
 * @example
 * const hooks = createShellAgentHooks({ commands: { PreToolUse: [{ matcher: 'bash', command: './check-command.sh' }] } });
 */
export function createShellAgentHooks({
  commands,
  timeout = usualTimeout,
  ...place
}: ShellPlace & {
  readonly commands: AgentShellCommands;
  /** Seconds for commands that say nothing else. */
  readonly timeout?: number;
}): readonly AgentHooks[] {
  const names = Object.keys(agentShellEvents) as AgentShellEvent[];
  return names.flatMap((name) =>
    (commands[name] ?? []).map((command) => hookOf({ name, command: { timeout, ...command }, place })),
  );
}

function hookOf(of: {
  readonly name: AgentShellEvent;
  readonly command: ShellCommand;
  readonly place: ShellPlace;
}): AgentHooks {
  const { name, command, place } = of;
  const { cwd = process.cwd(), environment = process.env, run = runCommand } = place;
  const hook = async (event: { readonly signal?: AbortSignal }) => {
    if (!isMeantFor({ matcher: command.matcher, subject: subjectOf({ name, event }) })) return undefined;
    const ended = await run({
      ...{ command: command.command, cwd, timeout: (command.timeout ?? usualTimeout) * 1_000, signal: event.signal },
      env: hookEnvironment({ from: environment, named: command.env ?? [], folder: cwd }),
      input: `${JSON.stringify(agentShellInput({ name, event: event as never }))}\n`,
    });
    if (event.signal?.aborted) return undefined;
    try {
      return agentVerdict({ name, ended });
    } catch (error) {
      if (!(error instanceof HookError)) throw error;
      throw new HookError({ kind: error.kind, why: error.message, command: command.command });
    }
  };
  const key: AgentHookName = agentShellEvents[name];
  // A command is ended when its own time is up.
  return { patience: Number.POSITIVE_INFINITY, [key]: hook };
}

/** Names as other agents write them (`Bash|Edit`) are meant as well. */
function isMeantFor({
  matcher = '',
  subject,
}: {
  readonly matcher?: string | undefined;
  readonly subject: string;
}): boolean {
  const names = matcher.split('|').map((name) => name.trim().toLowerCase());
  return names.some((name) => name === '' || name === '*' || name === subject.toLowerCase());
}
