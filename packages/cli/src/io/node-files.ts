import { constants, type FSWatcher, rmSync, type Stats, watch } from 'node:fs';
import { type FileHandle, link, open, readdir, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type FileFacts, type Files, systemCode } from './files.ts';

/** The signals that a person or a system ends a program with and that a program can still answer. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The real file system. */
export const nodeFiles: Files = {
  async stat(path) {
    try {
      return factsOf(await stat(path));
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  },

  async follow(path) {
    try {
      return await realpath(path);
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') throw error;
      // Nothing is there, or a link to nothing. Links in a circle are ELOOP, so this comes to an end.
      const target = await readlink(path).catch(() => undefined);
      return target === undefined ? path : await nodeFiles.follow(resolve(dirname(path), target));
    }
  },

  async *read(path) {
    const file = await openForReading(path);
    // The stream closes the file, also where the reader stops early.
    yield* file.createReadStream({ highWaterMark: 1 << 20 }) as AsyncIterable<Uint8Array>;
  },

  async head({ path, bytes }) {
    const file = await openForReading(path);
    try {
      const buffer = new Uint8Array(bytes);
      let length = 0;
      while (length < bytes) {
        const { bytesRead } = await file.read(buffer, length, bytes - length, length);
        if (bytesRead === 0) break;
        length += bytesRead;
      }
      return buffer.subarray(0, length);
    } finally {
      await file.close();
    }
  },

  watch({ path, onChange }) {
    let watcher: FSWatcher;
    try {
      // Its folder, since a program may put another file in its place, or write what is new beside it.
      watcher = watch(dirname(path), { persistent: false }, onChange);
    } catch {
      return () => undefined;
    }
    watcher.on('error', () => undefined);
    return () => watcher.close();
  },

  async list(path) {
    const items = await readdir(path, { withFileTypes: true });
    return items.map((item) => ({
      name: item.name,
      kind: item.isFile() ? 'file' : item.isDirectory() ? 'folder' : 'other',
    }));
  },

  async create({ path, text, mode }) {
    const file = await open(path, 'wx', mode);
    try {
      await file.writeFile(text, 'utf8');
      await file.sync();
    } finally {
      await file.close();
    }
  },

  link: ({ from, to }) => link(from, to),
  rename: ({ from, to }) => rename(from, to),
  remove: (path) => rm(path, { force: true }),

  removeOnSignal(path) {
    const forget = () => {
      for (const signal of endings) process.off(signal, end);
    };
    const end = (signal: NodeJS.Signals) => {
      rmSync(path, { force: true });
      // Without a listener the signal does what it does to any program.
      forget();
      process.kill(process.pid, signal);
    };
    for (const signal of endings) process.on(signal, end);
    return forget;
  },

  async syncFolder(path) {
    // Windows cannot open a folder, and some network file systems cannot sync one: the rename stands all the same.
    const folder = await open(path, 'r').catch(() => undefined);
    await folder?.sync().catch(() => undefined);
    await folder?.close();
  },
};

/** What the shell makes of `<(command)`, and standard input by its path: open already, so that opening does not wait. */
const descriptor = /^\/(?:dev\/(?:fd\/\d{1,9}|stdin)|proc\/self\/fd\/\d{1,9})$/;

/**
 * Opens a regular file. A pipe or a device in its place is an error and is never waited for; it is opened without waiting
 * and then looked at, so that it cannot be exchanged between the two.
 */
async function openForReading(path: string): Promise<FileHandle> {
  if (descriptor.test(path)) return await open(path, 'r');
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await file.stat();
  if (stats.isFile() || stats.isDirectory()) return file;
  await file.close();
  throw Object.assign(new Error('it is a pipe, a device or a socket, not a file'), { code: 'ENOTREG' });
}

function factsOf(stats: Stats): FileFacts {
  return {
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
    bytes: stats.size,
    modifiedAt: stats.mtimeMs,
    mode: stats.mode & 0o777,
    identity: `${stats.dev}:${stats.ino}`,
  };
}
