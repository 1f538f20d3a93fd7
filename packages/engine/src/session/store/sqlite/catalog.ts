import { readdirSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { parseJson } from '../../../json.ts';
import { listed } from '../list.ts';
import type { ListQuery, SessionHeader, SessionId, SessionSummary } from '../store.ts';
import { openDatabase, openExisting, transaction } from './database.ts';
import type { SessionPlace, StoreLayout } from './layout.ts';
import type { HeadRow } from './sums.ts';

/** What the catalog stores of a session; `damage` if it cannot be read. */
export type SessionFile = { readonly header: SessionHeader; readonly head: HeadRow } | { readonly damage: string };

/** How far a session is. */
export interface SessionPosition {
  readonly id: SessionId;
  readonly last: number;
}

/**
 * The list of sessions, derived from their files: a session that another process appended to, that was copied in or
 * taken out by hand shows in the times and sizes of its files. So nothing has to be kept in step with an append, and a
 * lost catalog is only rebuilt.
 */
export class Catalog {
  readonly #db: DatabaseSync;
  readonly #layout: StoreLayout;
  readonly #factsOf: (place: SessionPlace) => SessionFile | undefined;

  constructor({
    layout,
    factsOf,
    inMemory,
  }: {
    readonly layout: StoreLayout;
    readonly factsOf: (place: SessionPlace) => SessionFile | undefined;
    readonly inMemory: boolean;
  }) {
    this.#layout = layout;
    this.#factsOf = factsOf;
    this.#db = openDatabase({ path: layout.catalog, schema, inMemory });
  }

  list(query: ListQuery): SessionSummary[] {
    this.refresh();
    const rows = this.#db
      .prepare(
        `SELECT * FROM sessions
         WHERE (?1 IS NULL OR cwd = ?1) AND (?2 IS NULL OR (source_format = ?2 AND source_key = ?3))`,
      )
      .all(query.cwd ?? null, query.source?.format ?? null, query.source?.key ?? null);
    return listed({ summaries: (rows as unknown as CatalogRow[]).map(summaryOf), query });
  }

  /** All sessions, as far as they can be read. */
  positions(): SessionPosition[] {
    return this.#db.prepare('SELECT id, last FROM sessions').all() as unknown as SessionPosition[];
  }

  /** Reads anew what changed. */
  refresh(): void {
    const names = folderNames(this.#layout.sessions);
    const stamps = new Map(
      (this.#db.prepare('SELECT folder, stamp FROM sessions').all() as unknown as CatalogRow[]).map(
        ({ folder, stamp }) => [folder, stamp],
      ),
    );
    const changed = names.flatMap((name) => {
      const place = this.#layout.place(name);
      const stamp = stampOf(place);
      if (stamp === undefined) return [];
      const before = stamps.get(name);
      stamps.delete(name);
      return stamp !== '' && before === stamp ? [] : [{ place, stamp }];
    });
    if (changed.length === 0 && stamps.size === 0) return;
    const rows = changed.flatMap(({ place, stamp }) => {
      const facts = this.#factsOf(place);
      return facts === undefined ? [] : [rowOf({ place, stamp, facts })];
    });
    transaction(this.#db, () => {
      const put = this.#db.prepare(upsert);
      const drop = this.#db.prepare('DELETE FROM sessions WHERE folder = ?');
      for (const row of rows) put.run({ ...row });
      for (const gone of stamps.keys()) drop.run(gone);
    });
  }

  /** Reads anew, and leaves nothing of what is gone in the write-ahead log. */
  forgetGone(): void {
    this.refresh();
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#db.close();
  }
}

/** Names of the folders of finished sessions. */
export function folderNames(sessions: string): string[] {
  return readdirSync(sessions, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.includes('.'))
    .map((entry) => entry.name);
}

/** Where the catalog last saw a session, by its folder and header; 0 when it did not, or cannot be read itself. */
export function lastSeen({
  layout,
  place,
  header,
}: {
  readonly layout: StoreLayout;
  readonly place: SessionPlace;
  readonly header: SessionHeader | undefined;
}): number {
  if (!header || !statSync(layout.catalog, { throwIfNoEntry: false })) return 0;
  try {
    const db = openExisting({ path: layout.catalog, version: schema.version });
    const row = db
      .prepare('SELECT last FROM sessions WHERE folder = ? AND header = ?')
      .get(place.name, JSON.stringify(header));
    db.close();
    return Number(row?.last ?? 0);
  } catch {
    return 0;
  }
}

const schema = {
  version: 1,
  sql: `
    CREATE TABLE sessions (
      folder TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      header TEXT NOT NULL,
      stamp TEXT NOT NULL,
      name TEXT,
      title TEXT,
      cwd TEXT,
      source_format TEXT,
      source_key TEXT,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      last INTEGER NOT NULL,
      count INTEGER NOT NULL,
      messages INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX by_source ON sessions (source_key) WHERE source_key IS NOT NULL;
  `,
} as const;

type CatalogRow = {
  folder: string;
  id: string;
  header: string;
  stamp: string;
  name: string | null;
  title: string | null;
  cwd: string | null;
  source_format: string | null;
  source_key: string | null;
  created: number;
  updated: number;
  last: number;
  count: number;
  messages: number;
};

const columns = [
  ...['folder', 'id', 'header', 'stamp', 'name', 'title', 'cwd', 'source_format', 'source_key'],
  ...['created', 'updated', 'last', 'count', 'messages'],
];
const upsert = `INSERT OR REPLACE INTO sessions (${columns.join(', ')}) VALUES (${columns.map((name) => `:${name}`).join(', ')})`;

/** Changes within this many milliseconds of a look may leave size and time as they were. */
const racy = 1000;

/**
 * Times and sizes of a session's files; `''`, which never matches, while the newest change is too recent to be distinguished from
 * the next; `undefined` where there is no log.
 */
function stampOf({ log }: SessionPlace): string | undefined {
  const now = Date.now();
  const main = statSync(log, { throwIfNoEntry: false });
  if (!main) return undefined;
  const wal = statSync(`${log}-wal`, { throwIfNoEntry: false });
  if (Math.max(main.mtimeMs, wal?.mtimeMs ?? 0) > now - racy) return '';
  return `${main.size}:${main.mtimeMs}:${wal?.size ?? 0}:${wal?.mtimeMs ?? 0}`;
}

function rowOf({
  place,
  stamp,
  facts,
}: {
  readonly place: SessionPlace;
  readonly stamp: string;
  readonly facts: SessionFile;
}): CatalogRow {
  const { header, head } =
    'damage' in facts
      ? {
          // It is there and must not vanish from the list because it cannot be read.
          header: {
            v: 1,
            id: place.name,
            createdAt: 0,
            details: { damage: facts.damage },
          } satisfies SessionHeader as SessionHeader,
          head: undefined,
        }
      : facts;
  return {
    folder: place.name,
    id: header.id,
    header: JSON.stringify(header),
    stamp,
    name: head?.name ?? null,
    title: head?.title ?? null,
    cwd: header.cwd ?? null,
    source_format: header.source?.format ?? null,
    source_key: header.source?.key ?? null,
    created: header.createdAt,
    updated: Math.max(head?.updated ?? 0, header.createdAt),
    last: head?.last ?? 0,
    count: head?.count ?? 0,
    messages: head?.messages ?? 0,
  };
}

function summaryOf(row: CatalogRow): SessionSummary {
  return {
    header: parseJson(row.header) as unknown as SessionHeader,
    name: row.name ?? undefined,
    count: row.count,
    messages: row.messages,
    updatedAt: row.updated,
    title: row.title ?? undefined,
  };
}
