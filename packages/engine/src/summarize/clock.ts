/** Source of time, replaceable in tests. */
export interface Clock {
  now(): number;
  /** Rejects with the signal's reason when that aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Like `sleep`, but the timer does not keep the process alive. */
  watch?(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (ms, signal) => delay({ ms, signal, isRef: true }),
  watch: (ms, signal) => delay({ ms, signal, isRef: false }),
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
