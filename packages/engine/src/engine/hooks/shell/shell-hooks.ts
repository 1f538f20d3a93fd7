import type { HookFailure } from '../../types.ts';
import { combineHooks } from '../combine.ts';
import { HookError } from '../hook-error.ts';
import type { Hooks } from '../hooks.ts';
import {
  defaultCommandTimeout,
  matchesTrigger,
  type ShellCommand,
  type ShellCommands,
  type ShellEvent,
  shellEvents,
} from './command.ts';
import { type ShellInputs, shellInput } from './input.ts';
import type { CommandExit } from './run.ts';
import { runHookCommand, type ShellPlace } from './run-hook-command.ts';
import { type ShellHookVerdict, verdictOf } from './verdict.ts';

/** One command that ran, and what its end was taken as. */
export interface ShellHookRun {
  readonly ended: CommandExit;
  readonly verdict: ShellHookVerdict;
}

/**
 * Hooks that are commands of the user's shell. Each is a process that reads one JSON object on its standard input. Exit
 * code 2 blocks, with standard error as the reason; other exit codes and timeouts are reported to
 * `onFailure` and stop nothing. Standard output may add context, pins or a focus.
 *
 * @example
 * const hooks = createShellHooks({ commands: { PreCompact: [{ command: './save-transcript.sh', timeout: 5 }] } });
 */
export function createShellHooks({
  commands,
  timeout = defaultCommandTimeout,
  onFailure,
  ...place
}: ShellPlace & {
  readonly commands: ShellCommands;
  /** Seconds for commands that say nothing else. */
  readonly timeout?: number;
  readonly onFailure?: (failure: HookFailure) => void;
}): Hooks {
  const hooks = names.flatMap((name) =>
    (commands[name] ?? []).map((command) => hookOf({ name, command: { timeout, ...command } })),
  );
  return combineHooks({ hooks, ...(onFailure && { onFailure }) });

  function hookOf({ name, command }: { readonly name: ShellEvent; readonly command: ShellCommand }): Hooks {
    const hook = async (event: ShellInputs[ShellEvent]) => {
      if (!matchesTrigger({ matcher: command.matcher, trigger: event.trigger })) return undefined;
      const { verdict } = await runShellHook({ name, command, event, ...place });
      if (verdict.as === 'block') return { cancel: verdict.reason };
      if (verdict.as === 'answer') return verdict.answer;
      if (verdict.as === 'nothing' || event.signal?.aborted) return undefined;
      throw new HookError({ kind: verdict.kind, why: verdict.why, command: command.command });
    };
    // A command is killed at its own timeout.
    return { timeout: Number.POSITIVE_INFINITY, [shellEvents[name]]: hook };
  }
}

const names = Object.keys(shellEvents) as ShellEvent[];

/**
 * Runs one command for one event, and says how it ended and what that means.
 *
 * @example
 * const { ended, verdict } = await runShellHook({ name: 'PreCompact', command: { command: './check.sh' }, event: beforeCompaction });
 */
export async function runShellHook<Event extends ShellEvent>({
  name,
  command,
  event,
  ...place
}: ShellPlace & {
  readonly name: Event;
  readonly command: ShellCommand;
  readonly event: ShellInputs[Event];
}): Promise<ShellHookRun> {
  const ended = await runHookCommand({ command, input: shellInput({ name, event }), signal: event.signal, ...place });
  return { ended, verdict: verdictOf({ name, ended }) };
}
