import { LonghaulError } from 'longhaul';
import { type Imported, type ImportFormat, importSession } from 'longhaul/formats';
import type { Store } from 'longhaul/session';
import { cannotRead } from '../errors/file-errors.ts';
import { systemCode } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { interrupted } from './interrupt.ts';
import type { Source } from './source.ts';

/** How far an import has come. */
export interface Reached {
  /** Of the bytes of the source, in the pass that runs: one that was imported before is read twice. */
  readonly bytes: number;
  readonly entries: number;
}

/**
 * Brings one source into a store.
 *
 * @example
 * const { session } = await importFile({ io, store, source, limits, format: undefined, signal, onProgress });
 */
export async function importFile({
  io,
  store,
  source,
  format,
  limits,
  signal,
  leaveUnfinished = false,
  onProgress,
}: {
  readonly io: Pick<Io, 'now'>;
  readonly store: Store;
  readonly source: Source;
  readonly format: ImportFormat | undefined;
  readonly limits: Settings['limits'];
  readonly signal: AbortSignal;
  /** Whether an answer that is still being written waits for the next import. */
  readonly leaveUnfinished?: boolean;
  readonly onProgress: (reached: Reached) => void;
}): Promise<Imported> {
  const { name, path, isFile } = source;
  let reached: Reached = { bytes: 0, entries: 0 };
  const reach = (further: Partial<Reached>) => {
    reached = { ...reached, ...further };
    onProgress(reached);
  };
  try {
    return await importSession({
      store,
      open: async function* () {
        reach({ bytes: 0 });
        for await (const piece of source.open()) {
          reach({ bytes: reached.bytes + piece.length });
          yield piece;
        }
      },
      limits,
      now: io.now,
      signal,
      leaveUnfinished,
      onProgress: reach,
      ...(path !== undefined && isFile && { path }),
      ...(format && { format }),
    });
  } catch (error) {
    if (signal.aborted) throw interrupted({ name });
    if (LonghaulError.is(error)) throw inFile({ error, name });
    throw systemCode(error) === undefined ? error : cannotRead({ name, error });
  }
}

/** The engine does not know where its bytes come from, nor what our flags are called; people want to. */
function inFile({ error, name }: { readonly error: LonghaulError; readonly name: string }): LonghaulError {
  const { code, cause, next } = error.toJSON();
  if (storeCodes.has(code)) return error;
  const sentence = cause.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
  return new LonghaulError({ code, cause: `${name}: ${sentence}`, next: flags[code] ?? next, from: error });
}

const flags: Readonly<Record<string, string>> = {
  'line-too-long': 'If a line is meant to be so long, raise the limit with --limits-line-bytes.',
  'file-too-large': 'If it is meant to be so large, raise the limit with --limits-file-bytes.',
  'wrong-format': 'Leave --format out, and it is told from the content.',
};

/** What a store says for itself; all else that goes wrong is about the file. */
const storeCodes: ReadonlySet<string> = new Set([
  'append-rejected',
  'session-conflict',
  'session-exists',
  'session-missing',
  'store-damaged',
  'store-failed',
  'store-write-failed',
]);
