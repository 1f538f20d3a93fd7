import { createHash } from 'node:crypto';
import { mkdirSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionId } from '../store.ts';
import { FailureError } from './failure.ts';

/**
 * Where things lie in the folder of a store. Everything of a session is in its own folder, blobs too, so that damage
 * stays local and deleting a session is removing a folder; the catalog and the index next to them can be rebuilt.
 */
export interface StoreLayout {
  readonly dir: string;
  readonly sessions: string;
  /** Sessions on their way out. What a killed process leaves here is swept by the next. */
  readonly removed: string;
  /** Damaged originals, kept by the doctor. Nothing here is ever read or overwritten. */
  readonly setAside: string;
  readonly catalog: string;
  readonly index: string;
  session(id: SessionId): SessionPlace;
  /** By the name of its folder, where the id is not known yet. */
  place(name: string): SessionPlace;
}

export interface SessionPlace {
  readonly name: string;
  readonly folder: string;
  readonly log: string;
  readonly blobs: string;
}

export function layoutOf(dir: string): StoreLayout {
  const sessions = join(dir, 'sessions');
  const place = (name: string): SessionPlace => {
    const folder = join(sessions, name);
    return { name, folder, log: join(folder, 'log.sqlite'), blobs: join(folder, 'blobs') };
  };
  return {
    dir,
    sessions,
    removed: join(dir, 'removed'),
    setAside: join(dir, 'set-aside'),
    catalog: join(dir, 'catalogue.sqlite'),
    index: join(dir, 'index.sqlite'),
    session: (id) => place(folderName(id)),
    place,
  };
}

/** Marks a folder in which a session is still being made. No session's folder has a dot in its name. */
export const unfinished = '.new-';

/**
 * Ids that are safe as a name on every file system name their folder; others (capitals would collide where case does
 * not count) are hashed. The true id is in the session's header.
 */
function folderName(id: SessionId): string {
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) ? id : `x_${createHash('sha256').update(id).digest('hex')}`;
}

/**
 * Makes a folder and those above it, for the owner alone. Level by level: Node's recursive mkdir never returns where a
 * file system refuses a folder whose parent exists (as /proc does).
 */
export function makeFolders(dir: string): void {
  let found: Stats | undefined;
  try {
    found = statSync(dir, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotBe({ dir, error });
  }
  if (found?.isDirectory()) return;
  if (found) {
    throw new FailureError({
      kind: 'other',
      code: 'store-not-a-folder',
      message: `${dir} is a file, but a store is a folder.`,
      hint: 'Name a folder, or one that is not there yet.',
    });
  }
  const parent = dirname(dir);
  if (parent !== dir) makeFolders(parent);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (codeOf(error) !== 'EEXIST') throw cannotBe({ dir, error });
  }
}

/** Everything that Longhaul writes into the folder of a store; custom commands and settings of a project may lie next to it. */
const contents = [
  '/.gitignore',
  '/sessions/',
  '/removed/',
  '/set-aside/',
  '/checkpoints/',
  '/code-index/',
  '/gateway/',
  '/*.sqlite*',
  '/imports.json',
];

/** Keeps a store inside a repository out of its commits, searches and file trees. An existing file stays as it is. */
export function ignoreContents(dir: string): void {
  try {
    writeFileSync(join(dir, '.gitignore'), `${contents.join('\n')}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // The store works without it.
  }
}

/** Reasons by error code; the system's own messages name internal calls. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'the file system takes no folder there',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'links there lead in a circle',
};

function cannotBe({ dir, error }: { readonly dir: string; readonly error: unknown }): FailureError {
  const code = codeOf(error);
  return new FailureError({
    kind: 'other',
    code: 'store-not-a-folder',
    message: `${dir} cannot be made a folder for the store: ${reasons[code] ?? code}.`,
    hint: 'Name a folder that can be made, or one that is there.',
  });
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
