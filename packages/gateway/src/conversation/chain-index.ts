import { mkdirSync } from 'node:fs';
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

/**
 * Finds conversations by content: the hashes of all known chains, with the entries that they belong to. It is derived
 * from the sessions and lies in the folder `gateway` of the store; several gateways may share it.
 */
export class ChainIndex {
  readonly #database: DatabaseSync;
  readonly #find: StatementSync;
  readonly #entry: StatementSync;
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;
  readonly #item: StatementSync;
  readonly #insertItem: StatementSync;
  /** The rows of the sessions in use: every request asks for all of its own. */
  readonly #known = new LRUCache<SessionId, Map<string, EntryId>>({ max: 256 });

  constructor({ dir }: { readonly dir: string | undefined }) {
    if (dir !== undefined) mkdirSync(join(dir, 'gateway'), { recursive: true });
    const database = new DatabaseSync(dir === undefined ? ':memory:' : join(dir, 'gateway', 'chains.sqlite'));
    database.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS chains (
        hash TEXT NOT NULL, session TEXT NOT NULL, entry TEXT NOT NULL, PRIMARY KEY (hash, session)
      ) WITHOUT ROWID;
      CREATE INDEX IF NOT EXISTS chains_of_session ON chains (session);
      CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, item TEXT NOT NULL) WITHOUT ROWID;
    `);
    this.#database = database;
    this.#find = database.prepare('SELECT session, entry FROM chains WHERE hash = ?');
    this.#entry = database.prepare('SELECT entry FROM chains WHERE hash = ? AND session = ?');
    this.#insert = database.prepare('INSERT OR IGNORE INTO chains (hash, session, entry) VALUES (?, ?, ?)');
    this.#item = database.prepare('SELECT item FROM items WHERE id = ?');
    this.#insertItem = database.prepare('INSERT OR REPLACE INTO items (id, item) VALUES (?, ?)');
    this.#forget = database.prepare('DELETE FROM chains WHERE session = ?');
  }

  /** The longest beginning that is known, and where. Usually that is all but the newest items, so it looks from the end. */
  longest(chain: readonly string[]): ChainMatch | undefined {
    for (let length = chain.length; length > 0; length -= 1) {
      const owners = this.#find.all(chain[length - 1] ?? '') as unknown as ChainMatch['owners'];
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
      const row = this.#entry.get(hash, session) as { readonly entry: EntryId } | undefined;
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
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const added = rows.filter(({ hash, session, entry }) => this.#insert.run(hash, session, entry).changes === 1);
      this.#database.exec('COMMIT');
      for (const { hash, session, entry } of added) this.#knownOf(session).set(hash, entry);
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /** An item of an answer that the client may name by its id only (Responses API). */
  item(id: string): Json | undefined {
    const row = this.#item.get(id) as { readonly item: string } | undefined;
    return row && (JSON.parse(row.item) as Json);
  }

  addItems(items: readonly Json[]): void {
    for (const item of items)
      if (isRecord(item) && typeof item.id === 'string') this.#insertItem.run(item.id, JSON.stringify(item));
  }

  /** A session that is gone is not found again. */
  forget(session: SessionId): void {
    this.#known.delete(session);
    this.#forget.run(session);
  }

  close(): void {
    this.#database.close();
  }
}
