import { type AgentHooks, type AgentShellEvent, agentShellEvents, createShellAgentHooks } from 'longhaul/agent';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { withoutGaps } from './configured.ts';

/**
 * The hooks of the settings in force that run while an agent works.
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
