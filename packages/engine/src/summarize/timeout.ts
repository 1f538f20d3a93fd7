import { type Clock, systemClock } from './clock.ts';

/** Returned in place of a result when the time is up. */
export const late = Symbol('late');

/**
 * Resolves with the result of the work, or with `late` when the timeout expires first. Rejects with the caller's abort
 * reason. Work that ignores its signal is not awaited.
 *
 * @example
 * const answer = await within({ timeout: 30_000, signal, work: (signal) => ask({ signal }) });
 */
export async function within<T>({
  work,
  timeout,
  signal,
  clock = systemClock,
}: {
  readonly work: (signal: AbortSignal) => Promise<T>;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock;
}): Promise<T | typeof late> {
  signal?.throwIfAborted();
  const [expired, done] = [new AbortController(), new AbortController()];
  // The timer only guards: it must not keep an otherwise finished process alive.
  const timer = clock.watch ? clock.watch(timeout, done.signal) : clock.sleep(timeout, done.signal);
  timer.then(
    () => expired.abort(late),
    () => undefined,
  );
  const either = AbortSignal.any([expired.signal, ...(signal ? [signal] : [])]);
  try {
    return await unlessAborted({ work: started(work, either), signal: either });
  } catch (error) {
    signal?.throwIfAborted();
    if (expired.signal.aborted) return late;
    throw error;
  } finally {
    done.abort();
  }
}

/** Turns a synchronous throw into a rejection. */
async function started<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return await work(signal);
}

/** Resolves with the result of the work, or rejects with the abort reason, whichever comes first. */
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
