/** Repeated work of which at most one run is in progress and one is waiting. */
export interface Coalesced<T> {
  /** Runs it once more after the run in progress. Calls made before that run starts share it. */
  run(): Promise<T>;
  /** Resolves when no run is in progress or waiting. */
  idle(): Promise<void>;
}

/**
 * Runs work sequentially and coalesces calls: any number of calls during a run cause one more run. The work must not
 * reject.
 *
 * @example
 * const syncing = coalesce(() => writeFiles());
 * session.watch(() => void syncing.run());
 */
export function coalesce<T>(work: () => Promise<T>): Coalesced<T> {
  let line: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return {
    run() {
      next ??= line.then(() => {
        next = undefined;
        return work();
      });
      line = next;
      return next;
    },
    async idle() {
      await line;
    },
  };
}
