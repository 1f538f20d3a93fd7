import type { Io } from '../io/io.ts';

/** A progress line on a terminal; silent elsewhere. */
export interface ProgressLine {
  readonly show: (text: string) => Promise<void>;
  /** Removes the line. */
  readonly clear: () => Promise<void>;
}

/** Minimum milliseconds between updates. */
const pause = 100;

/** Work that finishes sooner shows no line. */
const delayMs = 400;

/**
 * Creates a line on standard error that is overwritten in place, on a terminal only.
 *
 * @example
 * const progress = createProgress({ io });
 * await progress.show('12,000 entries');
 * await progress.clear();
 */
export function createProgress({ io }: { readonly io: Pick<Io, 'stderr' | 'now'> }): ProgressLine {
  const { stderr } = io;
  if (!stderr.isTerminal) return { show: async () => undefined, clear: async () => undefined };
  let next = io.now() + delayMs;
  let shown = false;
  return {
    async show(text) {
      if (io.now() < next) return;
      next = io.now() + pause;
      shown = true;
      await stderr.write(`\r\u001b[K${text.slice(0, stderr.columns - 1)}`);
    },
    async clear() {
      if (shown) await stderr.write('\r\u001b[K');
      shown = false;
    },
  };
}
