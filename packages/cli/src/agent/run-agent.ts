import type { Message } from 'longhaul/message';
import { abortOnInterrupt } from '../io/abort-on-sigint.ts';
import type { Io } from '../io/io.ts';
import { plusUsage } from '../stats/usage.ts';
import type { RunEnded } from './exit-code.ts';
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
  settle,
}: {
  readonly io: Pick<Io, 'onInterrupt'>;
  readonly agent: OpenAgent['agent'];
  readonly prompt: string | Message | undefined;
  readonly print: Print;
  /** Ends what still runs in the background, before the end of the run is printed with what that has cost. */
  readonly settle?: (end: RunEnded) => Promise<void>;
}): Promise<RunEnded> {
  return await abortOnInterrupt({
    io,
    work: async (signal) => {
      signal.addEventListener('abort', () => agent.abort(), { once: true });
      let end: RunEnded | undefined;
      for await (const event of agent.run(prompt === undefined ? {} : { prompt })) {
        if (event.type === 'run_end') end = event;
        else await print(event);
      }
      if (!end) throw new Error('The run ended without a run_end event.');
      const total = settle ? await withLateCosts({ agent, end, settle }) : end;
      await print(total);
      return total;
    },
  });
}

/** A background summary that is cancelled at the end of a run has a price, too. */
async function withLateCosts(of: {
  readonly agent: OpenAgent['agent'];
  readonly end: RunEnded;
  readonly settle: (end: RunEnded) => Promise<void>;
}): Promise<RunEnded> {
  let { usage, costUsd } = of.end;
  const stop = of.agent.on((event) => {
    if (event.type !== 'engine' || event.event.type !== 'jobSettled') return;
    const { usage: late, cost } = event.event;
    if (late) usage = plusUsage(usage, late);
    if (cost !== undefined) costUsd = (costUsd ?? 0) + cost;
  });
  await of.settle(of.end);
  stop();
  return { ...of.end, usage, ...(costUsd !== undefined && { costUsd }) };
}

/**
 * Whether there is interrupted work to resume.
 *
 * @example
 * if (hasPendingWork(await agent.pending())) await converse({ io, agent, prompt: undefined, print });
 */
export function hasPendingWork({
  calls,
  needsAnswer,
  messages,
}: Awaited<ReturnType<OpenAgent['agent']['pending']>>): boolean {
  return calls.length > 0 || needsAnswer || messages.length > 0;
}
