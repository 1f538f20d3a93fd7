import { type Clock, systemClock } from '../../time.ts';
import type { ModelFailure } from './failure.ts';

export interface RetryPolicy {
  /** Waits before this many repetitions; then the failure is returned. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

/** The same delays as pi: 2, 4, 8 s, at most 60 s. */
export const defaultRetryPolicy: RetryPolicy = { attempts: 3, baseMs: 2000, maxMs: 60_000 };

/**
 * How long to wait before sending the same request again; `undefined` means do not. The only place that decides whether and
 * when a request is retried: `retryAttempts` and the loop of the agent both call it. `attempt` counts from 1. A delay
 * requested by the server takes precedence; one above the maximum fails at once, because such a long wait would look like a
 * hang. Other delays are shortened by up to a quarter, so that many clients do not return together.
 *
 * @example
 * const delay = retryDelay({ attempt: 1, failure, random: Math.random });
 */
export function retryDelay({
  attempt,
  failure,
  random,
  policy = defaultRetryPolicy,
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

/** A failed attempt that will be followed by another one. */
export interface RetryEvent {
  readonly attempt: number;
  readonly delayMs: number;
  readonly failure: ModelFailure;
}

/** One attempt of `retryAttempts`. */
interface RetryAttempt {
  /** Asks for another attempt after this failure. Returns `false` if there will be none. */
  readonly retry: (failure: ModelFailure) => boolean;
  /** Asks for another attempt without a delay. */
  readonly retryNow: () => void;
}

/**
 * The retry loop: yields one attempt after the other for as long as each asks for another one, with the delay between them.
 * Attempts are iterated instead of being passed as a callback, so that a generator can yield from within an attempt. The
 * iteration ends, without throwing, when the signal aborts during a delay.
 *
 * @example
 * for await (const attempt of retryAttempts({ signal })) {
 *   const { failure } = await send({ signal });
 *   if (!failure || !attempt.retry(failure)) return failure;
 * }
 */
export async function* retryAttempts({
  policy = defaultRetryPolicy,
  clock = systemClock,
  random = Math.random,
  signal,
  allows = () => true,
  onRetry,
}: {
  readonly policy?: RetryPolicy | undefined;
  readonly clock?: Pick<Clock, 'sleep'> | undefined;
  readonly random?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A further limit on delays, such as a deadline. */
  readonly allows?: (delayMs: number) => boolean;
  /** Called before each delay. */
  readonly onRetry?: ((event: RetryEvent) => void) | undefined;
}): AsyncGenerator<RetryAttempt, void> {
  for (let attempt = 1; ; attempt += 1) {
    let delayMs: number | 'none' | undefined;
    yield {
      retry: (failure) => {
        const delay = signal?.aborted ? undefined : retryDelay({ attempt, failure, random, policy });
        if (delay === undefined || !allows(delay)) return false;
        delayMs = delay;
        onRetry?.({ attempt, delayMs: delay, failure });
        return true;
      },
      retryNow: () => {
        delayMs = 'none';
      },
    };
    if (delayMs === undefined) return;
    try {
      if (delayMs !== 'none') await clock.sleep(delayMs, signal);
    } catch (error) {
      if (signal?.aborted) return;
      throw error;
    }
  }
}
