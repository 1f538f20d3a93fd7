import {
  accessSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '../../../errors.ts';
import { DamageError } from '../errors.ts';
import { isWriteRefusal } from './failure.ts';

/** Limits that tests set to see a full disk or a read-only one; `chmod` means nothing to root. */
export interface DatabaseLimits {
  readonly maxPages?: number;
  readonly readOnly?: boolean;
}

/** Opens a database, or makes one with this schema. */
export function openDatabase({
  path,
  schema,
  inMemory = false,
}: {
  readonly path: string;
  readonly schema: { readonly version: number; readonly sql: string };
  /** For what can be made again from the logs, where the disk takes no writes. */
  readonly inMemory?: boolean;
}): DatabaseSync {
  if (inMemory) return settled(new DatabaseSync(':memory:'), (db) => makeTables({ db, schema }));
  checkIsFile(path);
  // Created with its mode first: SQLite would create it readable for other users.
  closeSync(openSync(path, 'a', 0o600));
  return settled(new DatabaseSync(path, { timeout }), (db) => {
    makeDurable(db);
    if (userVersion(db) === 0) makeTables({ db, schema });
    checkVersion({ db, version: schema.version });
  });
}

/** Where a database file says that it is read and written through a write-ahead log, and the values for that. */
const walFormat = { at: 18, bytes: Uint8Array.of(2, 2) };

/**
 * Makes a database that nothing reads before it is whole, with one sync in place of the ten of a journal. What a failure
 * or a power cut leaves behind cannot be used.
 */
export function writeDatabase({
  path,
  schema,
  fill,
}: {
  readonly path: string;
  readonly schema: { readonly version: number; readonly sql: string };
  readonly fill: (db: DatabaseSync) => void;
}): void {
  closeSync(openSync(path, 'ax', 0o600));
  const db = new DatabaseSync(path, { timeout });
  try {
    db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;');
    makeTables({ db, schema, fill });
  } finally {
    db.close();
  }
  const file = openSync(path, 'r+');
  try {
    writeSync(file, walFormat.bytes, 0, walFormat.bytes.length, walFormat.at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Opens a database that must be there: SQLite on its own would make an empty one where there is none. */
export function openExisting(input: {
  readonly path: string;
  readonly version: number;
  readonly limits?: DatabaseLimits;
}): DatabaseSync {
  return openAsFarAsPossible(input).db;
}

/** Opens a database for writing or, where the disk takes no writes, for reading: then with the error of writing. */
export function openAsFarAsPossible({
  path,
  version,
  limits = {},
}: {
  readonly path: string;
  readonly version: number;
  readonly limits?: DatabaseLimits;
}): { readonly db: DatabaseSync; readonly refusal?: unknown } {
  checkIsFile(path);
  try {
    // SQLite would open it for reading without a word.
    accessSync(path, constants.W_OK);
    const url = pathToFileURL(path);
    url.searchParams.set('mode', 'rw');
    const db = settled(new DatabaseSync(url, { timeout }), (db) => {
      checkVersion({ db, version });
      makeDurable(db);
      if (limits.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${Math.trunc(limits.maxPages)}`);
      if (limits.readOnly) db.exec('PRAGMA query_only = ON');
    });
    return { db };
  } catch (error) {
    if (!isWriteRefusal(error)) throw error;
    return { db: openForReading({ path, timeout, check: (db) => checkVersion({ db, version }) }), refusal: error };
  }
}

/** A pipe would make the process wait forever, a folder fails with an error that does not name it. */
export function checkIsFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found || found.isFile()) return;
  const kind = found.isDirectory() ? 'a folder' : 'a pipe, socket or device';
  throw new DamageError({ what: `there is ${kind} in the place of the database`, where: path });
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
      message: `The store was written by a newer version of Longhaul (format ${found}, this one knows ${version}).`,
      hint: 'Use that version, or a newer one.',
    });
  }
  throw new DamageError({ what: 'it is not a file of this store', where: 'The database' });
}

/** Takes the write lock at once, so that a read followed by a write cannot fail with a busy error. */
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
  fill,
}: {
  readonly db: DatabaseSync;
  readonly schema: { readonly version: number; readonly sql: string };
  readonly fill?: (db: DatabaseSync) => void;
}): void {
  transaction(db, () => {
    // Asked again under the lock: another process may have been first.
    if (userVersion(db) !== 0) return;
    db.exec(schema.sql);
    db.exec(`PRAGMA user_version = ${schema.version}`);
    fill?.(db);
  });
}

export type Value = SQLInputValue;

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
function openForReading({
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

type OpenInput = Parameters<typeof openForReading>[0];

function openExclusive({ path, timeout, check }: OpenInput): DatabaseSync {
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

function openCopy({ path, timeout, check }: OpenInput): DatabaseSync {
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
