import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import { type Imported, type ImportFormat, importSession, type Store } from 'longhaul/session';
import { cannotRead, fileIsFolder, fileNotFound } from '../errors/file-errors.ts';
import { systemCode } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import type { Settings } from '../settings/schema.ts';
import { bytesText } from '../text/bytes.ts';

/**
 * Brings one file (`-` is standard input) into the store.
 *
 * @example
 * const { session } = await importFile({ io, store, name: 'chat.jsonl', limits, format: undefined });
 */
export async function importFile({
  io,
  store,
  name: written,
  format,
  limits,
  onProgress,
}: {
  readonly io: Io;
  readonly store: Store;
  /** As the person wrote it. */
  readonly name: string;
  readonly format: ImportFormat | undefined;
  readonly limits: Settings['limits'];
  readonly onProgress: (entries: number) => void;
}): Promise<Imported> {
  const name = written === '-' ? 'standard input' : written;
  const open = written === '-' ? await openInput({ io, limit: limits.fileBytes }) : await openFile({ io, name });
  try {
    return await importSession({
      store,
      open,
      limits,
      now: io.now,
      onProgress: ({ entries }) => onProgress(entries),
      ...(format && { format }),
    });
  } catch (error) {
    if (LonghaulError.is(error)) throw inFile({ error, name });
    throw systemCode(error) === undefined ? error : cannotRead({ name, error });
  }
}

async function openFile({ io, name }: { readonly io: Io; readonly name: string }) {
  const path = (io.platform === 'win32' ? win32 : posix).resolve(io.cwd, name);
  const facts = await io.files.stat(path).catch((error: unknown) => {
    throw cannotRead({ name, error });
  });
  if (!facts) throw fileNotFound({ name });
  if (facts.kind === 'folder') throw fileIsFolder({ name });
  return () => io.files.read(path);
}

/** A pipe can be read once, and an import may have to begin again: it is held in memory, within the limit. */
async function openInput({ io, limit }: { readonly io: Io; readonly limit: number }) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of io.stdin()) {
    length += piece.length;
    if (length > limit) {
      throw new LonghaulError({
        code: 'file-too-large',
        cause: `standard input goes on beyond the limit of ${bytesText(limit)}.`,
        next: 'Write it to a file and import that, or raise the limit with --limits-file-bytes.',
      });
    }
    pieces.push(piece);
  }
  return async function* () {
    yield* pieces;
  };
}

/** The engine does not know where its bytes come from, nor what our flags are called; people want to. */
function inFile({ error, name }: { readonly error: LonghaulError; readonly name: string }): LonghaulError {
  const { code, cause, next } = error.toJSON();
  const flags: Readonly<Record<string, string>> = {
    'line-too-long': 'If a line is meant to be so long, raise the limit with --limits-line-bytes.',
    'file-too-large': 'If it is meant to be so large, raise the limit with --limits-file-bytes.',
  };
  if (!fileCodes.has(code)) return error;
  const sentence = cause.slice(0, 1).toLowerCase() + cause.slice(1);
  return new LonghaulError({ code, cause: `${name}: ${sentence}`, next: flags[code] ?? next, from: error });
}

const fileCodes: ReadonlySet<string> = new Set([
  'file-empty',
  'file-too-large',
  'line-too-long',
  'nested-too-deep',
  'not-a-conversation',
  'not-a-session',
  'not-utf8',
  'wrong-dialect',
]);
