import type { Model } from 'longhaul/models';
import type { SessionChoice } from '../agent/choose-session.ts';
import type { RememberedRules } from '../agent/remembered-rules.ts';
import type { AgentSetup } from '../agent/start-agent.ts';
import type { Invocation } from '../invocation.ts';
import type { Io } from '../io/io.ts';
import { Interactive } from './app/interactive.ts';
import { slashCommands } from './commands/index.ts';
import { runPlain } from './plain/run-plain.ts';

/**
 * `longhaul` without a prompt: a conversation with the agent until the user leaves. Returns the exit code.
 *
 * @example
 * return await converseInTerminal({ invocation, setup, model, remembered, wanted: 'new', fork: false, name: undefined });
 */
export async function converseInTerminal({
  invocation,
  setup,
  model,
  remembered,
  wanted,
  fork,
  name,
  show = runPlain,
}: {
  readonly invocation: Pick<Invocation, 'io' | 'runProgram'>;
  readonly setup: AgentSetup;
  readonly model: Model;
  readonly remembered: RememberedRules;
  readonly wanted: SessionChoice;
  readonly fork: boolean | undefined;
  readonly name: string | undefined;
  /** The interface; by default the line mode. Resolves with the exit code when the user leaves. */
  readonly show?: ((input: { readonly io: Io; readonly app: Interactive }) => Promise<number>) | undefined;
}): Promise<number> {
  const { runProgram, io } = invocation;
  const app = await Interactive.open({
    input: { setup, model, remembered, commands: slashCommands, runProgram },
    wanted,
    fork,
  });
  if (name !== undefined) await app.session.session.append({ type: 'session_info', info: { name } });
  return await show({ io, app });
}
