import type { Io } from '../io/io.ts';

/** Tells a person how far long work has come; says nothing where nobody looks. */
export interface Progress {
  readonly show: (text: string) => Promise<void>;
  /** Takes the line away again. */
  readonly clear: () => Promise<void>;
}

/** More often than this a line cannot be read. */
const pause = 100;

/** Work that is done sooner needs no line. */
const patience = 400;

/**
 * A line on standard error that is written over and over, on a terminal only.
 *
 * @example
 * const progress = createProgress({ io });
 * await progress.show('12,000 entries');
 * await progress.clear();
 */
export function createProgress({ io }: { readonly io: Pick<Io, 'stderr' | 'now'> }): Progress {
  const { stderr } = io;
  if (!stderr.isTerminal) return { show: async () => undefined, clear: async () => undefined };
  let next = io.now() + patience;
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
