import { type AgentHooks, type AgentShellEvent, agentShellEvents, createShellAgentHooks } from 'longhaul/agent';
import { createShellHooks, type Hooks, type ShellCommand, type ShellEvent, shellEvents } from 'longhaul/engine';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';

/** An event of the engine or of the agent. */
export type HookEventName = keyof Settings['hooks'];

/** A hook command with its event. */
export interface ConfiguredHook {
  readonly event: HookEventName;
  readonly command: ShellCommand;
}

const engineEvents = Object.keys(shellEvents) as ShellEvent[];
const agentEvents = Object.keys(agentShellEvents) as AgentShellEvent[];

/** Every event that a hook can be configured for. */
export const hookEventNames: readonly HookEventName[] = [...engineEvents, ...agentEvents];

/**
 * The hooks in the settings, in execution order.
 *
 * @example
 * configuredHooks(values).map(({ event, command }) => `${event}: ${command.command}`);
 */
export function configuredHooks({ hooks }: Pick<Settings, 'hooks'>): ConfiguredHook[] {
  return hookEventNames.flatMap((event) => hooks[event].flatMap(commandsIn).map((command) => ({ event, command })));
}

type HookSetting = Settings['hooks'][HookEventName][number];

/** One command, or those of a group in Claude Code's format. */
function commandsIn(setting: HookSetting): ShellCommand[] {
  const { matcher } = setting;
  const all = 'hooks' in setting ? setting.hooks : [setting];
  return all.map((one) => ({
    command: one.command,
    ...(one.timeout !== undefined && { timeout: one.timeout }),
    ...(matcher !== undefined && { matcher }),
    ...('env' in one && one.env && { env: one.env }),
  }));
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
  const commands = Object.fromEntries(engineEvents.map((name) => [name, values.hooks[name].flatMap(commandsIn)]));
  if (Object.values(commands).every(({ length }) => length === 0)) return {};
  return createShellHooks({
    commands,
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
  const commands = Object.fromEntries(agentEvents.map((name) => [name, hooks[name].flatMap(commandsIn)]));
  return createShellAgentHooks({ commands, cwd: io.cwd, environment: io.env, run: io.runCommand });
}
