import { type Clock, systemClock } from './clock.ts';

/** What took longer than anybody waits. */
export const late = Symbol('late');

/**
 * What comes of the work within the time, or `late`. Only whoever asked can stop it with an error of theirs; whoever does
 * not listen to a signal is not waited for.
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
  const [over, done] = [new AbortController(), new AbortController()];
  // A program that has nothing else to do need not wait for the end of a time that only guards.
  const passing = clock.watch ? clock.watch(timeout, done.signal) : clock.sleep(timeout, done.signal);
  passing.then(
    () => over.abort(late),
    () => undefined,
  );
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])]);
  try {
    return await unlessAborted({ work: started(work, either), signal: either });
  } catch (error) {
    signal?.throwIfAborted();
    if (over.signal.aborted) return late;
    throw error;
  } finally {
    done.abort();
  }
}

/** Work that throws before it has begun has failed like any other. */
async function started<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return await work(signal);
}

/** The outcome of the work, or the reason of the abort. */
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
