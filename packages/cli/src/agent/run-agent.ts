import type { AgentEvent } from 'longhaul/agent';
import type { Message } from 'longhaul/message';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import type { OpenAgent } from './open-agent.ts';
import type { Print } from './print.ts';

/**
 * Runs an agent to its end and prints its events. The first Ctrl-C ends the run and leaves a valid log; the second ends
 * the process.
 *
 * @example
 * const { reason } = await converse({ io, agent, prompt: 'Fix the test.', print });
 */
export async function converse({
  io,
  agent,
  prompt,
  print,
}: {
  readonly io: Pick<Io, 'onInterrupt'>;
  readonly agent: OpenAgent['agent'];
  readonly prompt: string | Message | undefined;
  readonly print: Print;
}): Promise<Extract<AgentEvent, { readonly type: 'run_end' }>> {
  return await abortOnInterrupt({
    io,
    work: async (signal) => {
      signal.addEventListener('abort', () => agent.abort(), { once: true });
      let end: AgentEvent | undefined;
      for await (const event of agent.run(prompt === undefined ? {} : { prompt })) {
        await print(event);
        end = event;
      }
      if (end?.type !== 'run_end') throw new Error('The run ended without a run_end event.');
      return end;
    },
  });
}
