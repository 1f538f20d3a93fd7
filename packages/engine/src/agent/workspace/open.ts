import { type BigIntStats, constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { notAFile, pathChanged, toFileError } from './errors.ts';

/** Zero on systems without these flags, which have no such risks. */
const safeOpenFlags = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a regular file at a real path. The type is checked before, so that no device is touched and no pipe blocks, and
 * the path after opening, to detect a file or parent folder that was replaced meanwhile. The file stays open while
 * `work` runs.
 */
export async function withFile<T>({
  path,
  flags = constants.O_RDONLY,
  mode,
  work,
}: {
  readonly path: string;
  readonly flags?: number;
  readonly mode?: number;
  readonly work: (file: { readonly handle: FileHandle; readonly stats: BigIntStats }) => Promise<T>;
}): Promise<T> {
  try {
    if (!(flags & constants.O_CREAT)) assertRegularFile({ path, stats: await lstat(path, { bigint: true }) });
    const handle = await open(path, flags | safeOpenFlags, mode);
    try {
      const stats = await handle.stat({ bigint: true });
      assertRegularFile({ path, stats });
      if (!(await isStillAt({ path, handle, stats }))) throw pathChanged({ path });
      return await work({ handle, stats });
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw toFileError({ error, path });
  }
}

function assertRegularFile({ path, stats }: { readonly path: string; readonly stats: BigIntStats }): void {
  if (stats.isFile()) return;
  const what = stats.isDirectory()
    ? 'a folder'
    : stats.isFIFO()
      ? 'a pipe'
      : stats.isSymbolicLink()
        ? 'a link that was just created'
        : 'a device or a socket';
  throw notAFile({ path, what });
}

/** Stats a real path; neither it nor a parent folder may have become a link. */
export async function statRealPath({ path, shown }: { readonly path: string; readonly shown: string }): Promise<Stats> {
  try {
    if ((await realpath(path)) !== path) throw pathChanged({ path: shown });
    return await lstat(path);
  } catch (error) {
    throw toFileError({ error, path: shown });
  }
}

/** Linux reports the path of an open file; elsewhere the path must still lead to the same file. */
async function isStillAt({
  path,
  handle,
  stats,
}: {
  readonly path: string;
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
}): Promise<boolean> {
  if (process.platform === 'linux') {
    const actual = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if (actual !== undefined) return actual === path;
  }
  if ((await realpath(path)) !== path) return false;
  const { dev, ino } = await stat(path, { bigint: true });
  return dev === stats.dev && ino === stats.ino;
}
