import type { AgentEvent, RunEnd } from 'longhaul/agent';
import { promptTokens } from 'longhaul/models';

/** Counters over the events of a run. */
export interface RunTally {
  readonly ended: RunEnd | undefined;
  readonly turns: number;
  /** Prompt tokens of all requests, cached ones included. */
  readonly tokens: { readonly prompt: number; readonly cached: number; readonly output: number };
  readonly costUsd: number;
  /** Calls by tool. */
  readonly calls: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  readonly compactions: number;
  /** Requests that waited for a summary. */
  readonly waits: number;
}

export const emptyTally: RunTally = {
  ended: undefined,
  turns: 0,
  tokens: { prompt: 0, cached: 0, output: 0 },
  costUsd: 0,
  calls: {},
  failedCalls: 0,
  compactions: 0,
  waits: 0,
};

/**
 * Adds an event to the counters.
 *
 * @example
 * let tally = emptyTally;
 * for await (const event of agent.run({ prompt })) tally = added({ tally, event });
 */
export function addEvent({ tally, event }: { readonly tally: RunTally; readonly event: AgentEvent }): RunTally {
  switch (event.type) {
    case 'usage': {
      const { prompt, cached, output } = tally.tokens;
      const { usage } = event;
      return {
        ...tally,
        tokens: {
          prompt: prompt + promptTokens(usage),
          cached: cached + usage.cacheRead,
          output: output + usage.output,
        },
      };
    }
    case 'tool_start':
      return { ...tally, calls: { ...tally.calls, [event.tool]: (tally.calls[event.tool] ?? 0) + 1 } };
    case 'tool_end':
      return event.isError ? { ...tally, failedCalls: tally.failedCalls + 1 } : tally;
    case 'engine':
      return ofEngine({ tally, event: event.event });
    case 'run_end': {
      const { reason, turns, costUsd = 0 } = event;
      return { ...tally, ended: reason, turns: tally.turns + turns, costUsd: tally.costUsd + costUsd };
    }
    default:
      return tally;
  }
}

function ofEngine(of: {
  readonly tally: RunTally;
  readonly event: Extract<AgentEvent, { readonly type: 'engine' }>['event'];
}): RunTally {
  const { tally, event } = of;
  if (event.type === 'compactionComplete' && event.success) return { ...tally, compactions: tally.compactions + 1 };
  if (event.type === 'decision' && event.decision === 'wait') return { ...tally, waits: tally.waits + 1 };
  return tally;
}
