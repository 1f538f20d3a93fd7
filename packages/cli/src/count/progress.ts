import type { Output } from '../io/io.ts';
import { bar } from '../text/bar.ts';
import { bytesText } from '../text/bytes.ts';

/** A bar on a terminal that shows how far a long count has come. */
export interface Progress {
  add(bytes: number): void;
  /** Takes the bar away. */
  end(): Promise<void>;
}

/** Below this a count is over before a bar could be read. */
const worthIt = 8 * 1024 * 1024;
const cells = 30;

/**
 * @example
 * const progress = startProgress({ output: io.stderr, total: 40_000_000 });
 * progress.add(1_000_000);
 * await progress.end();
 */
export function startProgress({ output, total }: { readonly output: Output; readonly total: number }): Progress {
  if (!output.isTerminal || total < worthIt) return { add: () => undefined, end: async () => undefined };
  let done = 0;
  let shown = -1;
  let writing = Promise.resolve();
  return {
    add: (bytes) => {
      done = Math.min(total, done + bytes);
      const percent = Math.floor((done / total) * 100);
      if (percent === shown) return;
      shown = percent;
      print(`\r${bar({ share: done / total, cells })} ${String(percent).padStart(3)} % of ${bytesText(total)}`);
    },
    end: async () => {
      print('\r\u001b[K');
      await writing;
    },
  };

  function print(text: string): void {
    writing = writing.then(() => output.write(text)).catch(() => undefined);
  }
}
