/** After so many characters of work others have their turn: a few milliseconds. */
const often = 64 * 1024;

/**
 * Lets the caller's event loop go on in the middle of long work: it is told how much was done, and now and then waits for
 * everybody else.
 *
 * @example
 * const breathe = createBreather();
 * for (const text of texts) await breathe(work(text).length);
 */
export function createYielder(): (chars: number) => Promise<void> {
  let done = 0;
  return async (chars) => {
    done += chars;
    if (done < often) return;
    done = 0;
    await new Promise((resolve) => setImmediate(resolve));
  };
}
