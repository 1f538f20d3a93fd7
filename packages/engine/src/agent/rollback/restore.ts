import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, link, lstat, mkdir, readdir, realpath, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileState } from '../../session/index.ts';
import { withFile } from '../workspace/open.ts';
import { isSameStamp, isSameState, readState } from './file-state.ts';

/** Why a path was left as it is. */
export class LeftAloneError extends Error {
  override readonly name = 'LeftAloneError';
}

/** Read without a limit: the expected state was kept, so it is not larger than the limit was then. */
const anySize = Number.MAX_SAFE_INTEGER;

/**
 * Puts a path into another state, if it is still in the expected one. The new state appears at once, never half of it, and
 * what another program writes at the same moment survives: its bytes are put back.
 *
 * @throws LeftAloneError
 */
export async function restoreState({
  path,
  from,
  to,
  content,
}: {
  readonly path: string;
  readonly from: FileState;
  readonly to: FileState;
  /** The content of `to`, if that is a file. */
  readonly content: Uint8Array | undefined;
}): Promise<void> {
  const folder = dirname(path);
  if (to.kind !== 'absent') await mkdir(folder, { recursive: true });
  const real = await realpath(folder).catch(() => undefined);
  if (real === undefined && to.kind === 'absent') return;
  if (real !== folder) throw new LeftAloneError('its folder is now a link');
  await mustBe({ path, state: from });
  if (from.kind === 'folder' && to.kind === 'folder') return await chmod(path, to.mode);
  if (from.kind === 'folder') await removeFolder(path);
  if (to.kind === 'folder') {
    if (from.kind !== 'folder' && from.kind !== 'absent') await takeAway({ path, expected: from });
    await mkdir(path).catch(leaveExisting);
    return await chmod(path, to.mode);
  }
  if (to.kind === 'absent') {
    if (from.kind !== 'folder') await takeAway({ path, expected: from });
    return;
  }
  const draft = nearby(path);
  try {
    if (to.kind === 'link') await symlink(to.target, draft);
    else if (to.kind === 'file' && content) await writeDraft({ draft, content, mode: to.mode });
    else throw new LeftAloneError('its content was not kept');
    if (from.kind === 'absent' || from.kind === 'folder') await putNew({ draft, path });
    else await replace({ draft, path, expected: from });
  } finally {
    await rm(draft, { force: true });
  }
}

async function mustBe({ path, state }: { readonly path: string; readonly state: FileState }): Promise<void> {
  if (!isSameState(await readState({ path, fileBytes: anySize }), state)) throw changedNow();
}

function changedNow(): LeftAloneError {
  return new LeftAloneError('it changed while files were rewound');
}

function nearby(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 60)}.${randomBytes(6).toString('hex')}.tmp`);
}

async function writeDraft(of: { readonly draft: string; readonly content: Uint8Array; readonly mode: number }) {
  await withFile({
    path: of.draft,
    flags: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    mode: 0o600,
    async work({ handle }) {
      await handle.writeFile(of.content);
      await handle.chmod(of.mode & 0o7777);
      await handle.sync();
    },
  });
}

/** Fails if something is at the path. */
async function putNew({ draft, path }: { readonly draft: string; readonly path: string }): Promise<void> {
  try {
    await link(draft, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw changedNow();
    // A file system without hard links.
    if (await lstat(path).catch(() => undefined)) throw changedNow();
    await rename(draft, path);
  }
}

/**
 * Replaces a file. A second name for the present one is made first: if another program wrote to it before the new file took
 * its place, it is put back.
 */
async function replace(of: {
  readonly draft: string;
  readonly path: string;
  readonly expected: FileState;
}): Promise<void> {
  const { draft, path, expected } = of;
  const second = nearby(path);
  // Some systems follow a link here, and some file systems have no second names.
  const hasSecond = expected.kind === 'file' && (await link(path, second).then(isDone, isNot));
  try {
    if (hasSecond) {
      const [held, now] = [await lstat(second, { bigint: true }), await lstat(path, { bigint: true })];
      if (!isSameStamp(held, now)) throw changedNow();
    }
    await mustBe({ path: hasSecond ? second : path, state: expected });
    await rename(draft, path);
    if (hasSecond && !isSameState(await readState({ path: second, fileBytes: anySize }), expected)) {
      await rename(second, path);
      throw changedNow();
    }
  } finally {
    if (hasSecond) await rm(second, { force: true });
  }
}

const isDone = () => true;
const isNot = () => false;

/** Removes a file or link by moving it aside first; it is put back if it is not what was expected. */
async function takeAway({ path, expected }: { readonly path: string; readonly expected: FileState }): Promise<void> {
  const aside = nearby(path);
  await rename(path, aside);
  if (isSameState(await readState({ path: aside, fileBytes: anySize }), expected)) return await unlink(aside);
  try {
    await link(aside, path);
    await unlink(aside);
  } catch {
    if (await lstat(path).catch(() => undefined))
      throw new LeftAloneError(`it changed twice while files were rewound; the other version is ${aside}`);
    await rename(aside, path);
  }
  throw changedNow();
}

async function removeFolder(path: string): Promise<void> {
  try {
    await rmdir(path);
  } catch (error) {
    const rest = await readdir(path).catch(() => []);
    if (rest.length > 0) throw new LeftAloneError(`it has other files in it, such as ${rest[0]}`);
    throw error;
  }
}

function leaveExisting(error: unknown): void {
  if (codeOf(error) === 'EEXIST') throw changedNow();
  throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
