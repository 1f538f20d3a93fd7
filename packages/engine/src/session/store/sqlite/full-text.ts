import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { textsOf } from '../../recall/part-text.ts';
import type { Hit, SessionId } from '../store.ts';
import type { Standing } from './catalog.ts';
import { openDatabase, transaction } from './database.ts';
import type { Args, ReadArgs, ReadReply } from './protocol.ts';
import { entryOf } from './row.ts';
import { snippetOf } from './snippet.ts';
import { indexable, looseQuery, parseTerms, strictQuery, type Terms } from './terms.ts';

/** What the index is made of. */
export interface Sources {
  readonly read: (args: ReadArgs) => ReadReply;
  /** The handle of the newest entry of a session. */
  readonly last: (session: SessionId) => number;
  /** Ranges of handles on the path the session stands on. */
  readonly path: (session: SessionId) => readonly { readonly from: number; readonly to: number }[];
}

/**
 * Finds words in all sessions. The index holds no text, only where each word stands: snippets come from the log, and the
 * whole file can be thrown away and made anew. It runs behind the log and catches up before a search.
 */
export class FullText {
  readonly #db: DatabaseSync;
  readonly #sources: Sources;
  /** Sessions that could not be read; others are found all the same, and the doctor names these. */
  readonly #unreadable = new Set<SessionId>();

  constructor({
    path,
    sources,
    inMemory = false,
  }: { readonly path: string; readonly sources: Sources; readonly inMemory?: boolean }) {
    this.#sources = sources;
    this.#db = openDatabase({ path, schema, inMemory });
    // It can be rebuilt, so nobody waits for the disk on its behalf.
    this.#db.exec('PRAGMA synchronous = NORMAL');
  }

  search({
    text,
    session,
    limit = 20,
    sessions,
  }: Args<'search'> & {
    /** Those that are there. */
    readonly sessions: readonly Standing[];
  }): Hit[] {
    const terms = parseTerms(text);
    if (terms.phrases.length === 0 || limit <= 0) return [];
    const strict = this.#match({ query: strictQuery(terms), session, limit });
    const found = strict.length >= limit ? strict : unique([...strict, ...this.#loose({ terms, session, limit })]);
    return this.#hits({ found, terms, limit, sessions });
  }

  /** Indexes some entries of a session that it has not seen. `true` when there may be more. */
  indexSlice({ id, last }: Standing): boolean {
    if (this.#unreadable.has(id)) return false;
    let after = Number(this.#db.prepare('SELECT upto FROM sessions WHERE id = ?').get(id)?.upto ?? 0);
    if (after > last) {
      // Most often more was appended and indexed since somebody looked; the log knows.
      if (!this.#isAnother({ id, upTo: after })) return false;
      this.forget(id);
      after = 0;
    }
    return after < last && this.#indexFrom({ session: id, after });
  }

  /** Takes every trace of a session out of the file. */
  forget(session: SessionId): void {
    transaction(this.#db, () => {
      const no = this.#db.prepare('SELECT no FROM sessions WHERE id = ?').get(session)?.no;
      if (no === undefined) return;
      this.#write('DELETE FROM words WHERE rowid IN (SELECT doc FROM docs WHERE session = ?)').run(Number(no));
      this.#write('DELETE FROM docs WHERE session = ?').run(Number(no));
      this.#write('DELETE FROM sessions WHERE no = ?').run(Number(no));
      // Deleted rows are only marked in the index of words until it is merged into one.
      this.#db.exec("INSERT INTO words (words) VALUES ('optimize')");
    });
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  close(): void {
    this.#db.close();
  }

  /** A session that ends before what is indexed is another one of the same name. */
  #isAnother({ id, upTo }: { readonly id: SessionId; readonly upTo: number }): boolean {
    try {
      return this.#sources.last(id) < upTo;
    } catch {
      this.#unreadable.add(id);
      return false;
    }
  }

  #indexFrom({ session, after }: { readonly session: SessionId; readonly after: number }): boolean {
    let page: ReadReply;
    try {
      page = this.#sources.read({ session, query: { after, limit: slice }, from: 0 });
    } catch {
      this.#unreadable.add(session);
      return false;
    }
    const entries = page.rows.map(entryOf);
    const upTo = entries.at(-1)?.handle;
    if (upTo === undefined) return false;
    transaction(this.#db, () => {
      this.#write('INSERT INTO sessions (id, upto) VALUES (?, 0) ON CONFLICT DO NOTHING').run(session);
      const state = this.#db.prepare('SELECT no, upto FROM sessions WHERE id = ?').get(session);
      // Another process was faster.
      if (!state || state.upto !== after) return;
      const addDoc = this.#write('INSERT INTO docs (session, handle, part, at) VALUES (?, ?, ?, ?)');
      const addWords = this.#write('INSERT INTO words (rowid, text) VALUES (?, ?)');
      for (const entry of entries) {
        for (const { part, text, isProse } of textsOf(entry)) {
          if (!isProse) continue;
          const { lastInsertRowid } = addDoc.run(Number(state.no), entry.handle, part, entry.at);
          addWords.run(lastInsertRowid, indexable(text));
        }
      }
      this.#write('UPDATE sessions SET upto = ? WHERE no = ?').run(upTo, Number(state.no));
    });
    return true;
  }

  /** FTS5 numbers its own rows beyond what a JavaScript number holds, and every later statement reports the newest. */
  #write(sql: string): StatementSync {
    const statement = this.#db.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  }

  #loose({ terms, session, limit }: { terms: Terms; session: SessionId | undefined; limit: number }): Found[] {
    // Whatever has all the words stands before whatever has some of them.
    return this.#match({ query: looseQuery(terms), session, limit }).map((one) => ({ ...one, fit: one.fit * 0.1 }));
  }

  #match({ query, session, limit }: { query: string; session: SessionId | undefined; limit: number }): Found[] {
    return this.#db
      .prepare(
        `SELECT docs.doc, sessions.id AS session, docs.handle, docs.part, docs.at, -bm25(words) AS fit
         FROM words JOIN docs ON docs.doc = words.rowid JOIN sessions ON sessions.no = docs.session
         WHERE words MATCH ?1 AND (?2 IS NULL OR sessions.id = ?2)
         ORDER BY bm25(words) LIMIT ?3`,
      )
      .all(query, session ?? null, limit * 4) as unknown as Found[];
  }

  #hits({
    found,
    terms,
    limit,
    sessions,
  }: {
    found: readonly Found[];
    terms: Terms;
    limit: number;
    sessions: readonly Standing[];
  }): Hit[] {
    const lasts = new Map(sessions.map(({ id, last }) => [id, last]));
    const paths = new Map<SessionId, ReturnType<Sources['path']>>();
    const pathOf = (session: SessionId) => {
      const path = paths.get(session) ?? this.#sources.path(session);
      paths.set(session, path);
      return path;
    };
    const ranked = rank({
      candidates: found.filter(({ session }) => lasts.has(session)),
      placeOf: ({ session, handle }) => ({
        last: lasts.get(session) ?? 0,
        onPath: pathOf(session).some(({ from, to }) => from <= handle && handle <= to),
      }),
    });
    return ranked.slice(0, limit).flatMap(({ session, handle, part, score }) => {
      const [row] = this.#sources.read({ session, query: { handles: [handle] }, from: 0 }).rows;
      if (!row) return [];
      const entry = entryOf(row);
      const text = textsOf(entry).find((one) => one.part === part)?.text ?? '';
      return [{ session, entry: entry.id, handle, part, snippet: snippetOf({ text, terms }), score }];
    });
  }
}

type Found = Candidate & { readonly doc: number };

/** Entries indexed in one step, between which other requests are served. */
const slice = 500;

function unique(found: readonly Found[]): Found[] {
  return [...new Map(found.toReversed().map((one) => [one.doc, one])).values()].reverse();
}

const schema = {
  version: 1,
  sql: `
    CREATE TABLE sessions (no INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, upto INTEGER NOT NULL) STRICT;
    CREATE TABLE docs (
      doc INTEGER PRIMARY KEY, session INTEGER NOT NULL, handle INTEGER NOT NULL, part INTEGER NOT NULL, at INTEGER NOT NULL
    ) STRICT;
    CREATE VIRTUAL TABLE words USING fts5 (
      text, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2"
    );
  `,
} as const;

/** A place that matches, before its context counts. */
interface Candidate {
  readonly session: string;
  readonly handle: number;
  readonly part: number;
  readonly at: number;
  /** How well the words fit; higher is better. */
  readonly fit: number;
}

const day = 86_400_000;

/** Half as important after this long. */
const halfLife = 7 * day;

/**
 * Orders candidates: how well the words fit, more for what is recent (in its session, and against the newest that was
 * found), more for what is on the path the session stands on than for what was abandoned.
 */
function rank<C extends Candidate>({
  candidates,
  placeOf,
}: {
  readonly candidates: readonly C[];
  readonly placeOf: (candidate: C) => { readonly last: number; readonly onPath: boolean };
}): (C & { readonly score: number })[] {
  const newest = candidates.reduce((most, { at }) => Math.max(most, at), 0);
  return candidates
    .map((candidate) => {
      const { last, onPath } = placeOf(candidate);
      const late = last > 0 ? candidate.handle / last : 0;
      const fresh = 2 ** (-(newest - candidate.at) / halfLife);
      const score = candidate.fit * (1 + 0.15 * late + 0.15 * fresh) * (onPath ? 1.25 : 1);
      return { ...candidate, score };
    })
    .sort((a, b) => b.score - a.score || b.at - a.at || b.handle - a.handle || a.part - b.part);
}
