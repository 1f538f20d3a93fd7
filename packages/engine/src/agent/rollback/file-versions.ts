import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Earlier contents of files, each under the SHA-256 of its bytes. */
export interface FileVersions {
  /** Keeps bytes; they are on disk when the promise resolves. `undefined` if there is no space left for it. */
  keep(data: Uint8Array): Promise<string | undefined>;
  /** The bytes, verified; `undefined` if they are missing or damaged. */
  read(hash: string): Promise<Buffer | undefined>;
}

/** More than this is not kept for one session. Bytes. */
const defaultCapacity = 2 * 1024 ** 3;

/**
 * Opens a folder of earlier file contents. The folder is created with the first of them. A copy of a session reads what
 * its origin kept from `others`.
 *
 * @example
 * const versions = openFileVersions({ dir: join(cwd, '.versions') });
 * const hash = await versions.keep(Buffer.from('before'));
 */
export function openFileVersions({
  dir,
  others = [],
  capacity = defaultCapacity,
}: {
  readonly dir: string;
  /** Folders of other vaults to read from. */
  readonly others?: readonly string[];
  /** Limit in bytes. */
  readonly capacity?: number;
}): FileVersions {
  let used: Promise<number> | undefined;
  const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size;
  const measure = async () => {
    const names = await readdir(dir).catch(() => []);
    const sizes = await Promise.all(names.map((name) => sizeOf(join(dir, name))));
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  };
  return {
    async keep(data) {
      const hash = sha256(data);
      const path = join(dir, hash);
      if ((await sizeOf(path)) === data.byteLength) return hash;
      used ??= measure();
      if ((await used) + data.byteLength > capacity) return undefined;
      used = Promise.resolve((await used) + data.byteLength);
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const draft = `${path}.${randomBytes(6).toString('hex')}.new`;
      try {
        const file = await open(draft, 'wx', 0o600);
        try {
          await file.writeFile(data);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined);
        throw error;
      }
      return hash;
    },
    async read(hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
      for (const folder of [dir, ...others]) {
        const data = await readFile(join(folder, hash)).catch(() => undefined);
        if (data && sha256(data) === hash) return data;
      }
      return undefined;
    },
  };
}

export function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
