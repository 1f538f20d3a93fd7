import type { ModelFailure } from './failure.ts';

export interface RetryPolicy {
  /** Waits before this many repetitions; then the failure is returned. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

/** pi's numbers: 2, 4, 8 s, never more than 60 s. */
const usual: RetryPolicy = { attempts: 3, baseMs: 2000, maxMs: 60_000 };

/**
 * How long to wait before sending the same request again; `undefined` means do not. `attempt` counts from 1. What the
 * server asks for wins; asking for more than the maximum fails at once, because such a long wait would look like a hang. Our own
 * waits are shortened by up to a quarter, so that many clients do not return together.
 *
 * @example
 * const delay = retryDelay({ attempt: 1, failure, random: Math.random });
 */
export function retryDelay({
  attempt,
  failure,
  random,
  policy = usual,
}: {
  readonly attempt: number;
  readonly failure: ModelFailure;
  readonly random: () => number;
  readonly policy?: RetryPolicy;
}): number | undefined {
  if (!failure.retryable || attempt > policy.attempts) return undefined;
  const asked = failure.kind === 'rate' || failure.kind === 'network' ? failure.delayMs : undefined;
  if (asked !== undefined) return asked > policy.maxMs ? undefined : asked;
  const doubled = Math.min(policy.maxMs, policy.baseMs * 2 ** Math.max(0, attempt - 1));
  return Math.round(doubled * (1 - 0.25 * random()));
}
