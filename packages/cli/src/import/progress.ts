import type { Io } from '../io/io.ts';
import { createProgress } from '../output/progress.ts';
import { bar } from '../text/bar.ts';
import { bytesText } from '../text/bytes.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';
import type { Reached } from './import-file.ts';
import type { Source } from './source.ts';

const cells = 24;

/** Shows on a terminal how far an import has come. */
export interface ImportProgress {
  readonly reading: (reached: Reached) => void;
  /** After it was read: its tokens are counted. */
  readonly counting: (entries: number) => void;
  readonly clear: () => Promise<void>;
}

/**
 * @example
 * const progress = showImport({ io, source });
 * progress.reading({ bytes: 1_000_000, entries: 120 });
 * await progress.clear();
 */
export function showImport({
  io,
  source: { name, bytes: size },
}: {
  readonly io: Pick<Io, 'stderr' | 'now'>;
  readonly source: Source;
}): ImportProgress {
  const progress = createProgress({ io });
  const shown = printable(name);
  return {
    reading({ bytes, entries }) {
      const share = size === 0 ? 0 : Math.min(1, bytes / size);
      const percent = String(Math.floor(share * 100)).padStart(3);
      const amount = entries === 0 ? '' : `, ${number(entries)} entries`;
      void progress.show(`${bar({ share, cells })} ${percent} % of ${bytesText(size)}${amount}  ${shown}`);
    },
    counting: (entries) => void progress.show(`${number(entries)} entries counted  ${shown}`),
    clear: progress.clear,
  };
}
