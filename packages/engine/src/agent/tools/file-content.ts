import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { LonghaulError } from '../../errors.ts';
import type { FileWrite } from '../rollback/file-history.ts';
import { sha256 } from '../rollback/file-versions.ts';
import { pathChanged, toFileError } from '../workspace/errors.ts';
import { withFile } from '../workspace/open.ts';
import { stampOf } from '../workspace/seen-files.ts';
import type { Workspace, WorkspacePath } from '../workspace/workspace.ts';

/** Larger files are not edited as a whole. Bytes. */
const maxBytes = 20 * 1024 * 1024;

/** A file with its current content. */
export interface LoadedFile {
  readonly data: Buffer;
  readonly mode: number;
  /** Throws if the file has changed since. */
  readonly check: () => Promise<void>;
}

/** Reads a whole file, unless it changed since this agent last saw it. */
export async function loadFile({
  workspace,
  place,
}: {
  readonly workspace: Workspace;
  readonly place: WorkspacePath;
}): Promise<LoadedFile> {
  const { path, shown } = place;
  const { data, stats } = await withFile({
    path,
    async work({ handle, stats }) {
      if (stats.size > BigInt(maxBytes)) {
        const message = `${shown} has ${stats.size} bytes, too many to edit it this way.`;
        throw new LonghaulError({ code: 'file-too-large', message, hint: 'Use bash with sed or a script.' });
      }
      return { data: await handle.readFile(), stats };
    },
  });
  if (workspace.seen.isStale({ path, stats, content: data })) throw fileChanged(shown);
  const stamp = stampOf(stats);
  return {
    data,
    mode: Number(stats.mode),
    async check() {
      const now = await withFile({ path, work: async ({ stats }) => stampOf(stats) });
      if (now !== stamp) throw fileChanged(shown);
    },
  };
}

function fileChanged(path: string): LonghaulError {
  return new LonghaulError({
    code: 'file-changed',
    message: `${path} has changed since you read it, so nothing was written.`,
    hint: 'Read it again and redo the change.',
  });
}

/** Replaces the content of a file, unless it changed meanwhile; returns what was written. */
export async function saveFile({
  workspace,
  place: { path },
  data,
  before,
}: {
  readonly workspace: Workspace;
  readonly place: WorkspacePath;
  readonly data: Buffer;
  readonly before: LoadedFile | undefined;
}): Promise<FileWrite> {
  await replaceFile({ path, data, mode: before?.mode, ...(before && { check: before.check }) });
  await withFile({ path, work: async ({ stats }) => workspace.seen.note({ path, stats, content: data }) });
  return { path, hash: sha256(data) };
}

/**
 * Replaces a file atomically: readers see the old or the new content. Missing folders are created. `check` runs last,
 * when the new file is on disk and before it is renamed.
 */
async function replaceFile({
  path,
  data,
  mode,
  check = async () => undefined,
}: {
  /** A real path. */
  readonly path: string;
  readonly data: Buffer;
  /** Mode of the previous file. */
  readonly mode?: number | undefined;
  readonly check?: () => Promise<void>;
}): Promise<void> {
  const folder = dirname(path);
  const draft = join(folder, `.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    // A parent folder may have become a link.
    if ((await realpath(folder)) !== folder) throw pathChanged({ path });
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
    await withFile({
      path: draft,
      flags,
      mode: 0o666,
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
    throw toFileError({ error, path });
  }
}
