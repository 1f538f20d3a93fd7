import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Json } from 'longhaul/message';
import type { EntryId, SessionId } from 'longhaul/session';
import { LRUCache } from 'lru-cache';
import { isRecord } from '../json.ts';

/** Which entry of a session an item of a client is. */
export interface ChainRow {
  /** The hash of the chain up to this item. */
  readonly hash: string;
  readonly session: SessionId;
  readonly entry: EntryId;
}

/** Where the beginning of a request was seen before. */
export interface ChainMatch {
  /** How many hashes of the chain are known. */
  readonly length: number;
  readonly owners: readonly { readonly session: SessionId; readonly entry: EntryId }[];
}

/** The version of a database that had all sessions of the store at some time, and got every new one since. */
const complete = 1;

/** The database with its statements. */
interface ChainDatabase {
  readonly database: DatabaseSync;
  readonly find: StatementSync;
  readonly entry: StatementSync;
  readonly insert: StatementSync;
  readonly forget: StatementSync;
  readonly item: StatementSync;
  readonly insertItem: StatementSync;
}

/**
 * Finds conversations by content: the hashes of all known chains, with the entries that they belong to. It is derived
 * from the sessions and lies in the folder `gateway` of the store; several gateways may share it. A file that is damaged
 * is replaced by an empty one; `isLost` until the sessions have been read again.
 */
export class ChainIndex {
  readonly #file: string | undefined;
  #open: ChainDatabase;
  #isLost = true;
  /** The rows of the sessions in use: every request asks for all of its own. */
  readonly #known = new LRUCache<SessionId, Map<string, EntryId>>({ max: 256 });

  constructor({ dir }: { readonly dir: string | undefined }) {
    if (dir !== undefined) mkdirSync(join(dir, 'gateway'), { recursive: true });
    this.#file = dir === undefined ? undefined : join(dir, 'gateway', 'chains.sqlite');
    try {
      this.#open = openDatabase(this.#file);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#open = this.#replaced();
    }
    const { user_version: version } = this.#open.database.prepare('PRAGMA user_version').get() ?? {};
    this.#isLost = version !== complete;
  }

  /** Whether it may lack conversations that are in the store. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** All sessions are in it again. */
  markRebuilt(): void {
    this.#using(({ database }) => database.exec(`PRAGMA user_version = ${complete}`));
    this.#isLost = false;
  }

  #replaced(): ChainDatabase {
    this.#isLost = true;
    this.#known.clear();
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#file}${end}`, { force: true });
    return openDatabase(this.#file);
  }

  /** Damage that is found later than on opening is dealt with in the same way, and the work is repeated. */
  #using<T>(work: (open: ChainDatabase) => T): T {
    try {
      return work(this.#open);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#open.database.close();
      this.#open = this.#replaced();
      return work(this.#open);
    }
  }

  /** The longest beginning that is known, and where. Usually that is all but the newest items, so it looks from the end. */
  longest(chain: readonly string[]): ChainMatch | undefined {
    for (let length = chain.length; length > 0; length -= 1) {
      const hash = chain[length - 1] ?? '';
      const owners = this.#using(({ find }) => find.all(hash)) as unknown as ChainMatch['owners'];
      if (owners.length > 0) return { length, owners };
    }
    return undefined;
  }

  /** The entries of a session for the hashes of a chain; `null` where one is not known. */
  entries({ chain, session }: { readonly chain: readonly string[]; readonly session: SessionId }): (EntryId | null)[] {
    const known = this.#knownOf(session);
    return chain.map((hash) => {
      const before = known.get(hash);
      if (before !== undefined) return before;
      const row = this.#using(({ entry }) => entry.get(hash, session)) as { readonly entry: EntryId } | undefined;
      if (!row) return null;
      known.set(hash, row.entry);
      return row.entry;
    });
  }

  #knownOf(session: SessionId): Map<string, EntryId> {
    const known = this.#known.get(session) ?? new Map<string, EntryId>();
    this.#known.set(session, known);
    return known;
  }

  add(rows: readonly ChainRow[]): void {
    if (rows.length === 0) return;
    const added = this.#using(({ database, insert }) => {
      database.exec('BEGIN IMMEDIATE');
      try {
        const fresh = rows.filter(({ hash, session, entry }) => insert.run(hash, session, entry).changes === 1);
        database.exec('COMMIT');
        return fresh;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    });
    for (const { hash, session, entry } of added) this.#knownOf(session).set(hash, entry);
  }

  /** An item of an answer that the client may name by its id only (Responses API). */
  item(id: string): Json | undefined {
    const row = this.#using(({ item }) => item.get(id)) as { readonly item: string } | undefined;
    return row && (JSON.parse(row.item) as Json);
  }

  addItems(items: readonly Json[]): void {
    const named = items.flatMap((item) =>
      isRecord(item) && typeof item.id === 'string' ? [[item.id, JSON.stringify(item)] as const] : [],
    );
    this.#using(({ insertItem }) => {
      for (const [id, item] of named) insertItem.run(id, item);
    });
  }

  /** A session that is gone is not found again. */
  forget(session: SessionId): void {
    this.#known.delete(session);
    this.#using(({ forget }) => forget.run(session));
  }

  /** Moves what was written into the file, which waits for the disk: to be called when nothing else is to be done. */
  checkpoint(): void {
    this.#using(({ database }) => database.exec('PRAGMA wal_checkpoint(PASSIVE)'));
  }

  close(): void {
    this.#open.database.close();
  }
}

/** Pages after which the file is written to even though requests are under way. */
export const longestWal = 10_000;

function openDatabase(file: string | undefined): ChainDatabase {
  const database = new DatabaseSync(file ?? ':memory:');
  try {
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = ${longestWal};
      CREATE TABLE IF NOT EXISTS chains (
        hash TEXT NOT NULL, session TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (hash, session)
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS chains_of_session ON chains (session);
      CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, item TEXT NOT NULL) WITHOUT ROWID;
    `);
    return {
      database,
      find: database.prepare('SELECT session, entry FROM chains WHERE hash = ?'),
      entry: database.prepare('SELECT entry FROM chains WHERE hash = ? AND session = ?'),
      insert: database.prepare('INSERT OR IGNORE INTO chains (hash, session, entry) VALUES (?, ?, ?)'),
      item: database.prepare('SELECT item FROM items WHERE id = ?'),
      insertItem: database.prepare('INSERT OR REPLACE INTO items (id, item) VALUES (?, ?)'),
      forget: database.prepare('DELETE FROM chains WHERE session = ?'),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
function isDamage(error: unknown): boolean {
  const { errcode } = error as { readonly errcode?: unknown };
  return errcode === 11 || errcode === 26;
}
