/** Characters of work between two yields: a few milliseconds. */
const interval = 64 * 1024;

/**
 * Yields to the event loop during long work: call it with the characters processed; it yields once per interval.
 *
 * @example
 * const yieldToEventLoop = createBreather();
 * for (const text of texts) await yieldToEventLoop(work(text).length);
 */
export function createYielder(): (chars: number) => Promise<void> {
  let done = 0;
  return async (chars) => {
    done += chars;
    if (done < interval) return;
    done = 0;
    await new Promise((resolve) => setImmediate(resolve));
  };
}
