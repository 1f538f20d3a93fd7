import { yieldToEventLoop } from '../../time.ts';

/** Characters of work between two yields: a few milliseconds. */
const interval = 64 * 1024;

/**
 * Yields to the event loop during long work: call it with the characters processed; it yields once per interval.
 *
 * @example
 * const yieldSometimes = createYielder();
 * for (const text of texts) await yieldSometimes(work(text).length);
 */
export function createYielder(): (chars: number) => Promise<void> {
  let done = 0;
  return async (chars) => {
    done += chars;
    if (done < interval) return;
    done = 0;
    await yieldToEventLoop();
  };
}
