import { rmSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { openExisting, transaction } from '../database.ts';
import type { SessionPlace } from '../layout.ts';
import { logSchema } from '../schema.ts';

/** What is younger than this may be the work of a process that is still at it. */
const settledAge = 60_000;

export function removeSettled(paths: readonly string[]): void {
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs < Date.now() - settledAge) rmSync(path, { recursive: true, force: true });
  }
}

/** Removes blobs that no entry names. Nobody appends meanwhile: an append looks for its blobs under the same lock. */
export function removeStray({
  place,
  paths,
}: {
  readonly place: SessionPlace;
  readonly paths: readonly string[];
}): void {
  if (paths.length === 0) return;
  const db = openExisting({ path: place.log, version: logSchema.version });
  try {
    transaction(db, () => {
      const naming = db.prepare('SELECT 1 FROM entries WHERE blobs IS NOT NULL AND instr(blobs, ?) > 0 LIMIT 1');
      removeSettled(paths.filter((path) => naming.get(basename(path)) === undefined));
    });
  } finally {
    db.close();
  }
}
