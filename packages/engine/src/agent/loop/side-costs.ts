import type { Prepared } from '../../engine/index.ts';
import { cost, type Model, promptTokens, type Usage } from '../../models/index.ts';
import type { AgentEvent } from '../event.ts';

/** Requests of a run that are not its own answers: summaries and sub-agents. */
export interface SideCosts {
  readonly usage: Usage;
  /** `undefined` if no price is known. */
  readonly costUsd: number | undefined;
}

export const noSideCosts: SideCosts = {
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: undefined,
};

/**
 * Adds what an event says about the cost of a summary, or of a sub-agent's answer.
 *
 * @example
 * costs = addSideCosts({ costs, event, isOwn: false });
 */
export function addSideCosts({
  costs,
  event,
  isOwn,
}: {
  readonly costs: SideCosts;
  readonly event: AgentEvent;
  /** Whether it is an event of the agent itself, whose answers are counted elsewhere. */
  readonly isOwn: boolean;
}): SideCosts {
  if (event.type === 'usage') return isOwn ? costs : plus(costs, event.usage, event.costUsd);
  if (event.type !== 'engine') return costs;
  const { event: of } = event;
  // A compaction that a background job prepared is counted with the job.
  const isCounted = of.type === 'jobSettled' || (of.type === 'compactionComplete' && of.job === undefined);
  return isCounted && of.usage ? plus(costs, of.usage, of.cost) : costs;
}

/** Both together, for the end of a run. */
export function withSideCosts<T extends { readonly usage: Usage; readonly costUsd?: number }>(
  own: T,
  side: SideCosts,
): T {
  const { usage, costUsd } = plus(side, own.usage, own.costUsd);
  return { ...own, usage, ...(costUsd !== undefined && { costUsd }) };
}

function plus(costs: SideCosts, usage: Usage, costUsd: number | undefined): SideCosts {
  const sum = (name: 'input' | 'output' | 'cacheRead' | 'cacheWrite') => costs.usage[name] + usage[name];
  return {
    usage: {
      input: sum('input'),
      output: sum('output'),
      cacheRead: sum('cacheRead'),
      cacheWrite: sum('cacheWrite'),
    },
    costUsd: costUsd === undefined ? costs.costUsd : (costs.costUsd ?? 0) + costUsd,
  };
}

/** The length of an answer whose length is not known yet. Tokens. */
const defaultOutput = 500;

/**
 * What a request is going to cost at least: its prompt, of which the provider has cached what was sent before, and an
 * answer of usual length. `undefined` if the prices are unknown.
 *
 * @example
 * const next = requestCost({ prepared, model, last: undefined });
 */
export function requestCost({
  prepared: { tokens },
  model,
  last,
}: {
  readonly prepared: Pick<Prepared, 'tokens'>;
  readonly model: Pick<Model, 'info'>;
  /** The usage of the previous request of this run. */
  readonly last: Usage | undefined;
}): number | undefined {
  const cacheRead = last && last.cacheRead + last.cacheWrite > 0 ? Math.min(tokens, promptTokens(last)) : 0;
  const usage = { input: tokens - cacheRead, cacheRead, cacheWrite: 0, output: last?.output ?? defaultOutput };
  return cost({ usage, info: model.info });
}
