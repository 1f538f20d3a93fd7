import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Opens a database whose file system takes no writes (full, read-only). SQLite reads a database in WAL mode through a
 * shared-memory file next to it, which it cannot make there. The ways around it, in order:
 *
 * 1. Without entries in the write-ahead log, the database is opened as immutable: nothing else is needed.
 * 2. With entries there, in exclusive mode, which keeps the WAL index on the heap. It needs a lock for writing, which a
 *    read-only file system does not grant.
 * 3. From a copy in the temporary folder, for the owner alone, removed as soon as it is open.
 *
 * Every one of them sees all committed transactions. `check` must read from the database, so that it is open afterwards.
 * Close it soon: it does not see later commits of other processes (1, 3) or keeps them out (2).
 */
export function openForReading({
  path,
  timeout,
  check,
}: {
  readonly path: string;
  readonly timeout: number;
  readonly check: (db: DatabaseSync) => void;
}): DatabaseSync {
  const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (!wal?.isFile() || wal.size === 0) {
    const url = pathToFileURL(path);
    url.searchParams.set('mode', 'ro');
    url.searchParams.set('immutable', '1');
    return checked({ db: new DatabaseSync(url, { timeout, readOnly: true }), check });
  }
  try {
    return openExclusive({ path, timeout, check });
  } catch (error) {
    // Windows does not remove open files, so a copy of the session would be left behind.
    if (process.platform === 'win32') throw error;
    return openCopy({ path, timeout, check });
  }
}

type Opening = Parameters<typeof openForReading>[0];

function openExclusive({ path, timeout, check }: Opening): DatabaseSync {
  const url = pathToFileURL(path);
  url.searchParams.set('mode', 'rw');
  const db = new DatabaseSync(url, { timeout });
  return checked({
    db,
    check: () => {
      db.exec('PRAGMA locking_mode = EXCLUSIVE');
      check(db);
      db.exec('PRAGMA query_only = ON');
    },
  });
}

function openCopy({ path, timeout, check }: Opening): DatabaseSync {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-read-'));
  try {
    const copy = join(folder, 'copy.sqlite');
    copyFileSync(path, copy);
    copyFileSync(`${path}-wal`, `${copy}-wal`);
    return openExclusive({ path: copy, timeout, check });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checked({ db, check }: { readonly db: DatabaseSync; readonly check: (db: DatabaseSync) => void }) {
  try {
    check(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
