import type { Clock } from '../time.ts';

/** A clock that is advanced by the test. */
export interface FakeClock extends Clock {
  /** Resolves when the clock was advanced by `ms`; rejects with the signal's reason if that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Advances the clock and resolves sleeps in order; work they start runs before the next one resolves. */
  advance(ms: number): Promise<void>;
  /** Number of pending sleeps. */
  readonly sleepers: number;
}

/**
 * A clock for tests, by default at the start of 2026.
 *
 * @example
 * const clock = createClock();
 * const nap = clock.sleep(1000);
 * await clock.advance(1000);
 * await nap;
 */
export function createClock(input: { readonly start?: number } = {}): FakeClock {
  let now = input.start ?? Date.UTC(2026, 0, 1);
  const asleep = new Set<{ readonly at: number; readonly wake: () => void }>();
  return {
    now: () => now,
    get sleepers() {
      return asleep.size;
    },
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { at: now + ms, wake: resolve };
        asleep.add(sleeper);
        signal?.addEventListener('abort', () => asleep.delete(sleeper) && reject(signal.reason), { once: true });
      });
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      for (;;) {
        const next = [...asleep].sort((a, b) => a.at - b.at)[0];
        if (!next || next.at > end) break;
        asleep.delete(next);
        now = Math.max(now, next.at);
        next.wake();
        await settled();
      }
      now = end;
      await settled();
    },
  };
}

/** Lets pending promise callbacks run: a macrotask follows all of them. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
