import { posix, win32 } from 'node:path';
import { LonghaulError } from 'longhaul';
import { cannotWrite } from '../errors/file-errors.ts';
import { systemCode } from '../io/files.ts';
import type { Io } from '../io/io.ts';

/**
 * Writes a file whole or not at all: the text goes into a temporary file in the same folder, is brought to the disk, and
 * then gets its name in one step. Killed at any moment, it leaves either the old state or the new one under that name.
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
  /** What the file is called in sentences about it. */
  readonly name: string;
  /** All at once, or piece by piece where it need not fit into memory. */
  readonly text: string | AsyncIterable<string>;
  /** Whether a file that has the name already may be replaced. */
  readonly replace: boolean;
  readonly mode: number;
}): Promise<void> {
  const { basename, dirname, join } = io.platform === 'win32' ? win32 : posix;
  const folder = dirname(path);
  // Hidden and cut short: names have a limit of 255 bytes, and a name near it must still have a temporary one.
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

/** Names a file only if the name is free. A link, unlike a rename, fails when somebody took the name meanwhile. */
async function nameOnce({ io, from, to }: { io: Pick<Io, 'files'>; from: string; to: string }): Promise<void> {
  try {
    await io.files.link({ from, to });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') throw error;
    // FAT and some network file systems have no links; there the look before the rename must do.
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
        hint: 'Make the folder, or choose another place for --output.',
        cause: error,
      });
    default:
      return cannotWrite({ name, error });
  }
}

/** The error for an output that is already there. */
export function outputExists({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'output-exists',
    message: `${name} already exists.`,
    hint: 'Choose another name for --output, or add --force to replace it.',
  });
}
