import { accessSync, closeSync, constants, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '../../../errors.ts';
import { DamageError } from '../errors.ts';

/** Limits that tests set to see a full disk or a read-only one; `chmod` means nothing to root. */
export interface DatabaseLimits {
  readonly maxPages?: number;
  readonly readOnly?: boolean;
}

/** Opens a database, or makes one with this schema. */
export function openDatabase({
  path,
  schema,
  isDerived = false,
}: {
  readonly path: string;
  readonly schema: { readonly version: number; readonly sql: string };
  /** Whether it can be made again from the logs: on a read-only file system it is then made in memory. */
  readonly isDerived?: boolean;
}): DatabaseSync {
  if (isDerived && isReadOnly(dirname(path))) {
    return settled(new DatabaseSync(':memory:'), (db) => makeTables({ db, schema }));
  }
  // Made for the owner alone before SQLite makes it for everybody: what was said is nobody else's business.
  closeSync(openSync(path, 'a', 0o600));
  return settled(new DatabaseSync(path, { timeout }), (db) => {
    makeDurable(db);
    if (userVersion(db) === 0) makeTables({ db, schema });
    checkVersion({ db, version: schema.version });
  });
}

/** Opens a database that must be there: SQLite on its own would make an empty one where there is none. */
export function openExisting({
  path,
  version,
  limits = {},
}: {
  readonly path: string;
  readonly version: number;
  readonly limits?: DatabaseLimits;
}): DatabaseSync {
  const url = pathToFileURL(path);
  if (isReadOnly(path)) {
    url.searchParams.set('mode', 'ro');
    // Without a log of changes nothing is needed next to the file, where nothing can be made.
    const wal = statSync(`${path}-wal`, { throwIfNoEntry: false });
    if (!wal || wal.size === 0) url.searchParams.set('immutable', '1');
    return settled(new DatabaseSync(url, { timeout, readOnly: true }), (db) => checkVersion({ db, version }));
  }
  url.searchParams.set('mode', 'rw');
  return settled(new DatabaseSync(url, { timeout }), (db) => {
    checkVersion({ db, version });
    makeDurable(db);
    if (limits.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${Math.trunc(limits.maxPages)}`);
    if (limits.readOnly) db.exec('PRAGMA query_only = ON');
  });
}

/** Whether a path lies on a file system that takes no writes; a session can still be read from there. */
function isReadOnly(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS';
  }
}

/** How long to wait for another process, in milliseconds. Writers hold a file for one commit. */
const timeout = 10_000;

function settled(db: DatabaseSync, prepare: (db: DatabaseSync) => void): DatabaseSync {
  try {
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * A commit is on disk when it returns: WAL with `synchronous = FULL`. Both are read back, since a file system without
 * shared memory silently refuses WAL.
 */
function makeDurable(db: DatabaseSync): void {
  if (db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode !== 'wal') {
    throw new Error('the file system does not carry a write-ahead log');
  }
  // secure_delete: what is deleted is overwritten, not only let go. cell_size_check finds damage early.
  db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON;');
  if (db.prepare('PRAGMA synchronous').get()?.synchronous !== 2) throw new Error('synchronous FULL was refused');
}

function checkVersion({ db, version }: { readonly db: DatabaseSync; readonly version: number }): void {
  const found = userVersion(db);
  if (found === version) return;
  if (found > version) {
    throw new LonghaulError({
      code: 'store-newer',
      cause: `The store was written by a newer version of Longhaul (format ${found}, this one knows ${version}).`,
      next: 'Use that version, or a newer one.',
    });
  }
  throw new DamageError({ what: 'it is not a file of this store', where: 'The database' });
}

/** Takes the lock at once: whoever has read something may still be the one to change it. */
export const beginWriting = 'BEGIN IMMEDIATE';

/** Runs `work` in one transaction: all of it or nothing. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec(beginWriting);
  return finish(db, work);
}

/** One consistent view over several reads. */
export function snapshot<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN');
  return finish(db, work);
}

/** Does `work` in the transaction that was begun, and ends it. */
export function finish<T>(db: DatabaseSync, work: () => T): T {
  try {
    const result = work();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    // A full disk may already have rolled back.
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function userVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

function makeTables({
  db,
  schema,
}: {
  readonly db: DatabaseSync;
  readonly schema: { readonly version: number; readonly sql: string };
}): void {
  transaction(db, () => {
    // Asked again under the lock: another process may have been first.
    if (userVersion(db) !== 0) return;
    db.exec(schema.sql);
    db.exec(`PRAGMA user_version = ${schema.version}`);
  });
}

export type Value = SQLInputValue;
