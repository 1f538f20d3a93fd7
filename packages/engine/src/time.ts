/** Time as an argument: tests pass a clock that they move themselves. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason if the signal aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Like `sleep`, but the timer does not keep the process alive. Without it `sleep` is used. */
  sleepUnref?(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
export const systemClock: Clock & Required<Pick<Clock, 'sleepUnref'>> = {
  now: Date.now,
  sleep: (ms, signal) => delay({ ms, signal, isRef: true }),
  sleepUnref: (ms, signal) => delay({ ms, signal, isRef: false }),
};

function delay({
  ms,
  signal,
  isRef,
}: {
  readonly ms: number;
  readonly signal: AbortSignal | undefined;
  readonly isRef: boolean;
}): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(done, ms);
    if (!isRef) timer.unref();
    signal?.addEventListener('abort', stop, { once: true });
    function done() {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop() {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}

/** What `withTimeout` returns when the time is up. */
export const timedOut = Symbol('timed out');

/**
 * The result of `work`, or `timedOut`. The signal passed to `work` aborts at the timeout; work that ignores it is not
 * awaited any longer. Rejects with the reason of `signal` if that aborts first. An infinite timeout sets no timer.
 *
 * @example
 * const answer = await withTimeout({ timeout: 30_000, signal, work: (signal) => ask({ signal }) });
 * if (answer === timedOut) return fallback();
 */
export async function withTimeout<T>({
  work,
  timeout,
  signal,
  clock = systemClock,
  keepAlive = false,
}: {
  readonly work: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
  /** Whether the timer keeps the process alive: needed where the work itself may have nothing pending. */
  readonly keepAlive?: boolean;
}): Promise<T | typeof timedOut> {
  signal?.throwIfAborted();
  const [over, done] = [new AbortController(), new AbortController()];
  if (Number.isFinite(timeout)) {
    const sleep =
      keepAlive || !clock.sleepUnref ? clock.sleep(timeout, done.signal) : clock.sleepUnref(timeout, done.signal);
    sleep.then(
      () => over.abort(),
      () => undefined,
    );
  }
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  try {
    return await unlessAborted({ work: start(work, either), signal: either });
  } catch (error) {
    signal?.throwIfAborted();
    if (over.signal.aborted) return timedOut;
    throw error;
  } finally {
    done.abort();
  }
}

/** Turns a synchronous throw of `work` into a rejection. */
async function start<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return await work(signal);
}

/** The result of the work; rejects with the signal's reason if that aborts first. */
export async function unlessAborted<T>({
  work,
  signal,
}: {
  readonly work: Promise<T>;
  readonly signal: AbortSignal | undefined;
}): Promise<T> {
  if (!signal) return await work;
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/**
 * The result of the work. Once the signal aborts, the work has `grace` milliseconds left to end; after that the result is
 * `fallback()`.
 *
 * @example
 * const outcome = await withGracePeriod({ work, signal, clock, grace: 2_000, fallback: () => interrupted });
 */
export async function withGracePeriod<T>({
  work,
  signal,
  clock,
  grace,
  fallback,
}: {
  readonly work: Promise<T>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Milliseconds. */
  readonly grace: number;
  readonly fallback: () => T;
}): Promise<T> {
  const over = new AbortController();
  const given = Promise.withResolvers<T>();
  const count = () => {
    clock.sleep(grace, over.signal).then(
      () => given.resolve(fallback()),
      () => undefined,
    );
  };
  signal.addEventListener('abort', count, { once: true });
  if (signal.aborted) count();
  try {
    // A failure after the grace period is ignored.
    work.catch(() => undefined);
    return await Promise.race([work, given.promise]);
  } finally {
    signal.removeEventListener('abort', count);
    over.abort();
  }
}

/** Lets pending callbacks and I/O of this thread run before the next step of long work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
