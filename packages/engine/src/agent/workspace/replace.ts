import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { withFile } from './open.ts';
import { explain, movedAway } from './problems.ts';

/**
 * Puts a file in place of another, whole or not at all: whoever reads meanwhile has the old one or the new one. Folders
 * that are missing are made. `check` runs last, when the new file is on the disk and before it takes the name.
 */
export async function replaceFile({
  path,
  data,
  mode,
  check = async () => undefined,
}: {
  /** Real already. */
  readonly path: string;
  readonly data: Buffer;
  /** Of the file that was there. */
  readonly mode?: number | undefined;
  readonly check?: () => Promise<void>;
}): Promise<void> {
  const folder = dirname(path);
  const draft = join(folder, `.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    // A folder on the way may have become a link.
    if ((await realpath(folder)) !== folder) throw movedAway({ path });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    await withFile({
      ...{ path: draft, flags, mode: 0o666 },
      async work({ handle }) {
        await handle.writeFile(data);
        if (mode !== undefined) await handle.chmod(mode & 0o7777);
        await handle.sync();
      },
    });
    await check();
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw explain({ error, path });
  }
}
