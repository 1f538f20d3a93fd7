import {
  closeSync,
  constants as fsConstants,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
} from 'node:fs';
import { dirname, sep } from 'node:path';
import { isSkippedText, largestFile } from './skipped.ts';

/** The content of a regular file: no link at the end of the path is followed, and no FIFO is waited for. */
export function readRegular({ file, most }: { readonly file: string; readonly most: number }): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, fsConstants.O_RDONLY | fsConstants.O_NONBLOCK | (fsConstants.O_NOFOLLOW ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(descriptor);
    return stats.isFile() && stats.size <= most ? readAll({ descriptor, size: stats.size, most }) : undefined;
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** With its size known, a file is read in one call; a file that grew meanwhile is read to its end. */
function readAll(of: {
  readonly descriptor: number;
  readonly size: number;
  readonly most: number;
}): Buffer | undefined {
  const { descriptor, size, most } = of;
  const bytes = Buffer.allocUnsafe(size + 1);
  const length = readSync(descriptor, bytes, 0, size + 1, 0);
  if (length <= size && length > 0) return bytes.subarray(0, length);
  // Files of /proc and the like have no size.
  const all = readFileSync(descriptor);
  return all.length <= most ? all : undefined;
}

/**
 * The text of a file of the workspace, unless it is binary, minified, a private key, too large or gone, or a folder on its
 * path has become a link that leads elsewhere.
 */
export function readText(of: { readonly root: string; readonly path: string }): string | undefined {
  return readTextFile(of)?.text;
}

/** The same with the bytes that it was read from. */
export function readTextFile({
  root,
  path,
}: {
  readonly root: string;
  readonly path: string;
}): { readonly text: string; readonly bytes: Buffer } | undefined {
  const file = `${root}${sep}${path}`;
  if (!isInPlace(dirname(file))) return undefined;
  const bytes = readRegular({ file, most: largestFile });
  if (!bytes || bytes.subarray(0, 8_192).includes(0)) return undefined;
  const text = bytes.toString('utf8');
  return isSkippedText(text) ? undefined : { text, bytes };
}

/** Files are read in the order of their folders: the one that was looked at last is remembered for a moment. */
let last = { folder: '', until: 0 };
const momentMs = 50;

/** Whether a folder is where its path says: roots are real paths, so that any difference is a link. */
function isInPlace(folder: string): boolean {
  if (folder === last.folder && performance.now() < last.until) return true;
  const isReal = isRealPath(folder);
  if (isReal) last = { folder, until: performance.now() + momentMs };
  return isReal;
}

function isRealPath(folder: string): boolean {
  try {
    return realpathSync.native(folder) === folder;
  } catch {
    return false;
  }
}
