/** Work that is done again and again beside something else. */
export interface Coalesced<T> {
  /** Does it once more, after what is under way. Whoever asks before that begins shares it. */
  run(): Promise<T>;
  /** When nothing is under way any more. */
  idle(): Promise<void>;
}

/**
 * Does work one time after the other, never twice at once: many wishes while it is under way are one more time. The work
 * must not fail.
 *
 * @example
 * const beside = createBeside(() => writeFiles());
 * session.watch(() => void beside.soon());
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
