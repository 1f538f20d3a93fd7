import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import { cannotWrite } from '../errors/file-errors.ts';
import { systemCode } from '../io/files.ts';
import type { Io } from '../io/io.ts';

/**
 * Writes a file atomically: the text goes into a temporary file in the same folder, is synced, and is then renamed. If the
 * process is killed, the name refers either to the old state or to the new one.
 *
 * @example
 * await writeWhole({ io, path: '/x/fixed.json', name: 'fixed.json', text: '[]', replace: false, mode: 0o600 });
 */
export async function writeWhole({
  io,
  path,
  name,
  text,
  replace,
  mode,
}: {
  readonly io: Pick<Io, 'files' | 'platform' | 'unique'>;
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
  /** All at once, or in chunks that need not fit into memory together. */
  readonly text: string | AsyncIterable<string>;
  /** Whether an existing file may be replaced. */
  readonly replace: boolean;
  readonly mode: number;
}): Promise<void> {
  const { basename, dirname, join } = io.platform === 'win32' ? win32 : posix;
  const folder = dirname(path);
  // Hidden and shortened: file names are limited to 255 bytes.
  const temporary = join(folder, `.${basename(path).slice(0, 40)}.${io.unique()}.longhaul-tmp`);
  const forget = io.files.removeOnSignal(temporary);
  try {
    await io.files.create({ path: temporary, text, mode });
    if (replace) await io.files.rename({ from: temporary, to: path });
    else await nameOnce({ io, from: temporary, to: path });
    await io.files.syncFolder(folder);
  } catch (error) {
    throw writeError({ name, error });
  } finally {
    await io.files.remove(temporary).catch(() => undefined);
    forget();
  }
}

/** Renames only if the name is free. A link, unlike a rename, fails if the name was taken meanwhile. */
async function nameOnce({ io, from, to }: { io: Pick<Io, 'files'>; from: string; to: string }): Promise<void> {
  try {
    await io.files.link({ from, to });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error;
    // FAT and some network file systems have no hard links; there the check before the rename must do.
    if (await io.files.stat(to)) throw Object.assign(new Error('EEXIST: it exists'), { code: 'EEXIST' });
    await io.files.rename({ from, to });
  }
}

function writeError({ name, error }: { name: string; error: unknown }): LonghaulError {
  switch (systemCode(error)) {
    case 'EEXIST':
      return outputExists({ name });
    case 'ENOENT':
    case 'ENOTDIR':
      return new LonghaulError({
        code: 'output-folder-missing',
        message: `${name} cannot be written: its folder does not exist.`,
        hint: 'Create the folder, or choose another place for --output.',
        cause: error,
      });
    default:
      return cannotWrite({ name, error });
  }
}

/** The error for an existing output file. */
export function outputExists({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'output-exists',
    message: `${name} already exists.`,
    hint: 'Choose another name for --output, or add --force to replace it.',
  });
}
