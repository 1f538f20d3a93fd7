import { type AgentHooks, type AgentShellEvent, agentShellEvents, createShellAgentHooks } from 'longhaul/agent';
import { createShellHooks, type Hooks, type ShellCommand, type ShellEvent, shellEvents } from 'longhaul/engine';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** A hook command with its event. */
export interface ConfiguredHook {
  readonly event: ShellEvent;
  readonly command: ShellCommand;
}

export const eventsOfShell = Object.keys(shellEvents) as ShellEvent[];

/**
 * The hooks in the settings, in execution order.
 *
 * @example
 * configuredHooks(values).map(({ event, command }) => `${event}: ${command.command}`);
 */
export function configuredHooks({ hooks }: Pick<Settings, 'hooks'>): ConfiguredHook[] {
  return eventsOfShell.flatMap((event) => hooks[event].map((command) => ({ event, command: withoutGaps(command) })));
}

type HookSetting = Settings['hooks'][ShellEvent][number];

/** Drops undefined members. */
function withoutGaps({ command, timeout, matcher, env }: HookSetting): ShellCommand {
  return {
    command,
    ...(timeout !== undefined && { timeout }),
    ...(matcher !== undefined && { matcher }),
    ...(env && { env }),
  };
}

/**
 * The engine hooks in the settings.
 *
 * @example
 * const engine = await createEngine({ store, hooks: hooksOf({ io, values }) });
 */
export function hooksOf({
  io,
  values,
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'runCommand'>;
  readonly values: Pick<Settings, 'hooks'>;
}): Hooks {
  const all = configuredHooks(values);
  if (all.length === 0) return {};
  const commands = eventsOfShell.map((name) => [
    name,
    all.filter(({ event }) => event === name).map(({ command }) => command),
  ]);
  return createShellHooks({
    commands: Object.fromEntries(commands),
    cwd: io.cwd,
    environment: io.env,
    run: io.runCommand,
  });
}

/**
 * The agent hooks in the settings.
 *
 * @example
 * const agent = await createAgent({ session, model, hooks: agentHooksOf({ io, values }) });
 */
export function agentHooksOf({
  io,
  values: { hooks },
}: {
  readonly io: Pick<Io, 'cwd' | 'env' | 'runCommand'>;
  readonly values: Pick<Settings, 'hooks'>;
}): readonly AgentHooks[] {
  const names = Object.keys(agentShellEvents) as AgentShellEvent[];
  const commands = Object.fromEntries(names.map((name) => [name, hooks[name].map(withoutGaps)]));
  return createShellAgentHooks({ commands, cwd: io.cwd, environment: io.env, run: io.runCommand });
}
