import type { Usage } from '../models/index.ts';
import type { Attempt } from './summarizer.ts';

/**
 * Usage and cost of all attempts together, as far as they are known.
 *
 * @example
 * const { usage, cost } = sumOf(summary.attempts ?? []);
 */
export function attemptTotals(attempts: readonly Attempt[]): { readonly usage?: Usage; readonly cost?: number } {
  const usages = attempts.flatMap(({ usage }) => usage ?? []);
  const costs = attempts.flatMap(({ cost }) => cost ?? []);
  return {
    ...(usages.length > 0 && { usage: usages.reduce(added) }),
    ...(costs.length > 0 && { cost: costs.reduce((sum, cost) => sum + cost, 0) }),
  };
}

function added(one: Usage, other: Usage): Usage {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}
