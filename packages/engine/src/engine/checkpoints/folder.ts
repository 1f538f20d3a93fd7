import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegular } from '../../regular-file.ts';
import { refuseLinks } from '../refuse-links.ts';

/** A folder of small text files, as little of it as a mirror needs. */
export interface Folder {
  /** The names of its regular files; links and folders are skipped. Empty where the folder does not exist. */
  list(): Promise<string[]>;
  /** `undefined` where there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Writes a file whole or not at all, also when the power fails. */
  write(input: { readonly name: string; readonly text: string }): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Ends the names of files that are being written; what a killed process left under one is swept away later. */
const unfinished = '.longhaul-tmp';
const sweepAfterMs = 10 * 60_000;

/**
 * A folder of the file system. It is made when something is written into it. Nothing is read, written or removed through
 * links.
 *
 * @example
 * await openFolder({ path: '/repo/.longhaul/checkpoints', now: Date.now }).write({ name: 'index.md', text: '' });
 */
export function openFolder({ path, now }: { readonly path: string; readonly now: () => number }): Folder {
  return {
    async list() {
      await refuseLinks({ path });
      const found = (await unless('ENOENT', () => readdir(path, { withFileTypes: true }))) ?? [];
      const names = found.filter((item) => item.isFile()).map(({ name }) => name);
      await Promise.all(names.filter((name) => name.endsWith(unfinished)).map(sweep));
      return names.filter((name) => !name.endsWith(unfinished));
    },
    async read(name) {
      await refuseLinks({ path });
      await refuseLinks({ path: join(path, name) });
      return await unless('ENOENT', () => readRegular(join(path, name)));
    },
    async write({ name, text }) {
      await refuseLinks({ path });
      await mkdir(path, { recursive: true, mode: 0o700 });
      const temporary = join(path, `.${randomUUID()}${unfinished}`);
      try {
        await synced({ path: temporary, flags: 'wx', work: (file) => file.writeFile(text) });
        await rename(temporary, join(path, name));
      } catch (error) {
        await unlink(temporary).catch(() => undefined);
        throw error;
      }
      // Windows cannot open folders; NTFS journals their changes itself.
      if (process.platform !== 'win32') await synced({ path, flags: 'r', work: async () => undefined });
    },
    async remove(name) {
      await refuseLinks({ path });
      await unless('ENOENT', () => unlink(join(path, name)));
    },
  };

  async function sweep(name: string): Promise<void> {
    const facts = await lstat(join(path, name)).catch(() => undefined);
    if (facts && now() - facts.mtimeMs > sweepAfterMs) await unlink(join(path, name)).catch(() => undefined);
  }
}

async function synced(of: {
  readonly path: string;
  readonly flags: string;
  readonly work: (file: FileHandle) => Promise<void>;
}): Promise<void> {
  const file = await open(of.path, of.flags, 0o600);
  try {
    await of.work(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function unless<T>(code: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return undefined;
    throw error;
  }
}
