import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { textsOf } from '../../recall/part-text.ts';
import type { Hit, SessionId } from '../store.ts';
import type { SessionPosition } from './catalog.ts';
import { openDatabase, transaction } from './database.ts';
import type { Args, ReadArgs, ReadReply } from './protocol.ts';
import { entryOf } from './row.ts';

/** What the index is made of. */
export interface Sources {
  readonly read: (args: ReadArgs) => ReadReply;
  /** The handle of the newest entry of a session. */
  readonly last: (session: SessionId) => number;
  /** Ranges of handles on the active path. */
  readonly path: (session: SessionId) => readonly { readonly from: number; readonly to: number }[];
}

/**
 * Finds words in all sessions. The index holds no text, only the positions of words: snippets come from the log, and the
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
    // The index can be rebuilt, so writes to it are not synced.
    this.#db.exec('PRAGMA synchronous = NORMAL');
  }

  search({
    text,
    session,
    limit = 20,
    sessions,
  }: Args<'search'> & {
    /** Those that are there. */
    readonly sessions: readonly SessionPosition[];
  }): Hit[] {
    const terms = parseTerms(text);
    if (terms.phrases.length === 0 || limit <= 0) return [];
    const strict = this.#match({ query: strictQuery(terms), session, limit });
    const found = strict.length >= limit ? strict : unique([...strict, ...this.#loose({ terms, session, limit })]);
    return this.#hits({ found, terms, limit, sessions });
  }

  /** Indexes some entries of a session that it has not seen. `true` when there may be more. */
  indexSlice({ id, last }: SessionPosition): boolean {
    if (this.#unreadable.has(id)) return false;
    let after = Number(this.#db.prepare('SELECT upto FROM sessions WHERE id = ?').get(id)?.upto ?? 0);
    if (after > last) {
      // Usually more was appended and indexed since the last look; the log decides.
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

  #loose({
    terms,
    session,
    limit,
  }: {
    terms: SearchTerms;
    session: SessionId | undefined;
    limit: number;
  }): IndexMatch[] {
    // Matches with all words rank before matches with some of them.
    return this.#match({ query: looseQuery(terms), session, limit }).map((one) => ({ ...one, fit: one.fit * 0.1 }));
  }

  #match({ query, session, limit }: { query: string; session: SessionId | undefined; limit: number }): IndexMatch[] {
    return this.#db
      .prepare(
        `SELECT docs.doc, sessions.id AS session, docs.handle, docs.part, docs.at, -bm25(words) AS fit
         FROM words JOIN docs ON docs.doc = words.rowid JOIN sessions ON sessions.no = docs.session
         WHERE words MATCH ?1 AND (?2 IS NULL OR sessions.id = ?2)
         ORDER BY bm25(words) LIMIT ?3`,
      )
      .all(query, session ?? null, limit * 4) as unknown as IndexMatch[];
  }

  #hits({
    found,
    terms,
    limit,
    sessions,
  }: {
    found: readonly IndexMatch[];
    terms: SearchTerms;
    limit: number;
    sessions: readonly SessionPosition[];
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

type IndexMatch = SearchCandidate & { readonly doc: number };

/** Entries indexed in one step, between which other requests are served. */
const slice = 500;

function unique(found: readonly IndexMatch[]): IndexMatch[] {
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
interface SearchCandidate {
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
 * found), more for what is on the current path than for what was abandoned.
 */
function rank<C extends SearchCandidate>({
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

const width = 160;

/** The stretch of a text that holds the most of what was looked for, on one line. */
function snippetOf({ text, terms }: { readonly text: string; readonly terms: SearchTerms }): string {
  const words = [...new Set(terms.phrases.flat().map((word) => word.toLowerCase()))];
  const found = places({ text, words });
  const start = Math.max(0, bestStart(found) - 40);
  const end = Math.min(text.length, start + width);
  const cut = text.slice(start, end).replace(/\s+/g, ' ').trim().toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

interface WordMatch {
  readonly at: number;
  readonly word: string;
}

/** Where the words are. The first thousand tell enough about a long text. */
function places({ text, words }: { readonly text: string; readonly words: readonly string[] }): WordMatch[] {
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map((word) => RegExp.escape(word)).join('|'), 'giu');
  const found: WordMatch[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ at: match.index, word: match[0].toLowerCase() });
    if (found.length === 1000) break;
  }
  return found;
}

function bestStart(found: readonly WordMatch[]): number {
  let best = { at: found[0]?.at ?? 0, words: 0 };
  for (const [index, { at }] of found.entries()) {
    const within = new Set<string>();
    for (let next = index; next < found.length; next += 1) {
      const other = found[next];
      if (!other || other.at > at + width - 40) break;
      within.add(other.word);
    }
    if (within.size > best.words) best = { at, words: within.size };
  }
  return best.at;
}

/** A parsed search query. */
interface SearchTerms {
  /** Each is a sequence of words that must stand together: `src/a.ts` is three. */
  readonly phrases: readonly (readonly string[])[];
}

const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Scripts written without spaces: each character is a word of its own, so that any piece of a sentence is found. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/gu;

/** Text as it goes into the index. */
function indexable(text: string): string {
  return text.toWellFormed().replace(unspaced, ' $& ');
}

/** Words between quotation marks belong together, as do those joined by anything but spaces. */
function parseTerms(text: string): SearchTerms {
  const phrases = [...text.matchAll(/"([^"]*)"|\S+/g)]
    .map(([whole, quoted]) => indexable(quoted ?? whole).match(word) ?? [])
    .filter((words) => words.length > 0);
  return { phrases };
}

/** In FTS5's language: all phrases as they are. */
function strictQuery({ phrases }: SearchTerms): string {
  return phrases.map((words) => quoted(words)).join(' AND ');
}

/** Any of the words, also as the beginning of a longer one. */
function looseQuery({ phrases }: SearchTerms): string {
  const words = new Set(phrases.flat());
  return [...words].map((one) => (one.length >= 3 ? `${quoted([one])} *` : quoted([one]))).join(' OR ');
}

function quoted(words: readonly string[]): string {
  return `"${words.join(' ')}"`;
}
