import { mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FailureError } from './failure.ts';

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

/** What the system means where it takes no folder; its own words name calls that nobody has made. */
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
