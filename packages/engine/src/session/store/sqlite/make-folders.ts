import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FailureError } from './failure.ts';

/**
 * Makes a folder and those above it, for the owner alone. Level by level: Node's recursive mkdir never returns where a
 * file system refuses a folder whose parent exists (as /proc does).
 */
export function makeFolders(dir: string): void {
  const found = statSync(dir, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  if (found) {
    throw new FailureError({
      kind: 'other',
      code: 'store-not-a-folder',
      cause: `${dir} is a file, but a store is a folder.`,
      next: 'Name a folder, or one that is not there yet.',
    });
  }
  const parent = dirname(dir);
  if (parent !== dir) makeFolders(parent);
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
