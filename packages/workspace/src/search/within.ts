/** What came of a piece of work: its value, or why there is none. */
export interface Outcome<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** Gives a piece of work a number of milliseconds. Its failure is an outcome; only an abort by the caller is thrown. */
export async function within<T>(of: {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly work: (signal: AbortSignal) => Promise<T>;
}): Promise<Outcome<T>> {
  of.signal?.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), of.ms);
  const signal = of.signal ? AbortSignal.any([of.signal, timeout.signal]) : timeout.signal;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  signal.addEventListener('abort', () => late.reject(signal.reason), { once: true });
  try {
    return { value: await Promise.race([of.work(signal), late.promise]) };
  } catch (error) {
    of.signal?.throwIfAborted();
    if (timeout.signal.aborted) return { problem: `no answer within ${of.ms / 1_000} s` };
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
