import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** Limits that tests set to see a full disk or a read-only one; `chmod` means nothing to root. */
export interface DatabaseLimits {
  readonly maxPages?: number;
  readonly readOnly?: boolean;
}

/**
 * Opens a database in which a commit is on disk when it returns: WAL with `synchronous = FULL`. Both are read back: a
 * file system without shared memory silently refuses WAL.
 */
export function openDatabase({
  path,
  schema,
  limits = {},
}: {
  readonly path: string;
  /** Run when the database is new (`user_version` 0). */
  readonly schema?: { readonly version: number; readonly sql: string };
  readonly limits?: DatabaseLimits;
}): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 10_000 });
  try {
    if (db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode !== 'wal') {
      throw new Error('the file system does not carry a write-ahead log');
    }
    // secure_delete: what is deleted is overwritten, not only unlinked. cell_size_check finds damage early.
    db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON;');
    if (db.prepare('PRAGMA synchronous').get()?.synchronous !== 2) throw new Error('synchronous FULL was refused');
    if (schema) ensureSchema({ db, schema });
    if (limits.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${Math.trunc(limits.maxPages)}`);
    if (limits.readOnly) db.exec('PRAGMA query_only = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs `work` in one transaction: all of it or nothing. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  return finish(db, work);
}

/** One consistent view over several reads. */
export function snapshot<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN');
  return finish(db, work);
}

function finish<T>(db: DatabaseSync, work: () => T): T {
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

export function userVersion(db: DatabaseSync): number {
  return Number(db.prepare('PRAGMA user_version').get()?.user_version ?? 0);
}

function ensureSchema({
  db,
  schema,
}: {
  readonly db: DatabaseSync;
  readonly schema: { readonly version: number; readonly sql: string };
}): void {
  if (userVersion(db) !== 0) return;
  transaction(db, () => {
    // Asked again under the lock: another process may have been first.
    if (userVersion(db) !== 0) return;
    db.exec(schema.sql);
    db.exec(`PRAGMA user_version = ${schema.version}`);
  });
}

export type Value = SQLInputValue;
