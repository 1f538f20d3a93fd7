import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isObject, parseJson } from '../../../json.ts';
import { DamageError } from '../errors.ts';
import type { EntryQuery, Head, Lease, SessionHeader } from '../store.ts';
import { Blobs } from './blobs.ts';
import {
  beginWriting,
  type DatabaseLimits,
  finish,
  openAsFarAsPossible,
  snapshot,
  transaction,
  type Value,
} from './database.ts';
import { type Failure, FailureError } from './failure.ts';
import type { StoreFiles } from './files.ts';
import { headerIn } from './header.ts';
import type { SessionPlace } from './layout.ts';
import type { AppendArgs, Outcome, ReadArgs, ReadReply } from './protocol.ts';
import type { SelectedRow, StoredRow } from './row.ts';
import { logSchema } from './schema.ts';
import type { JsonPath } from './spill.ts';
import { type HeadRow, headOf, headSum, rowSum } from './sums.ts';

function leaseIn(text: string): Lease | null {
  const value = parseJson(text);
  const isLease = isObject(value) && typeof value.token === 'string' && typeof value.pid === 'number';
  return isLease ? (value as unknown as Lease) : null;
}

/** The log of one session: one SQLite file and its blob folder. */
export class LogFile {
  readonly #db: DatabaseSync;
  /** Why it could only be opened for reading. */
  readonly #refusal: unknown;
  readonly #session: string;
  readonly #blobs: Blobs;
  readonly #reader: LogReader;
  readonly #head: StatementSync;
  readonly #insert: StatementSync;
  readonly #setHead: StatementSync;
  readonly #addSpan: StatementSync;
  readonly #addRun: StatementSync;
  readonly #handleOf: StatementSync;
  readonly #begin: StatementSync;
  readonly #dataVersion: StatementSync;
  /** The head that this connection wrote last: valid while no other connection has committed. */
  #known: { readonly version: unknown; readonly head: HeadRow } | undefined;

  constructor({
    place,
    session,
    files,
    limits = {},
  }: {
    readonly place: SessionPlace;
    readonly session: string;
    readonly files: StoreFiles;
    readonly limits?: DatabaseLimits | undefined;
  }) {
    this.#session = session;
    this.#blobs = new Blobs({ files, folder: place.blobs, session });
    const { db: opened, refusal } = openAsFarAsPossible({ path: place.log, version: logSchema.version, limits });
    this.#db = opened;
    this.#refusal = refusal;
    const db = this.#db;
    try {
      this.#head = db.prepare('SELECT * FROM head');
      this.#insert = db.prepare(
        'INSERT INTO entries (handle, nth, id, type, key, body, blobs, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      );
      this.#setHead = db.prepare(
        'UPDATE head SET last = ?, count = ?, leaf = ?, epoch = ?, tip = ?, span = ?, messages = ?, updated = ?, title = ?, name = ?, sum = ?',
      );
      this.#addSpan = db.prepare('INSERT INTO spans (start, epoch) VALUES (?, ?)');
      this.#addRun = db.prepare('INSERT INTO runs (start, base) VALUES (?, ?)');
      this.#handleOf = db.prepare('SELECT handle FROM entries WHERE id = ?');
      this.#begin = db.prepare(beginWriting);
      this.#dataVersion = db.prepare('PRAGMA data_version');
      this.#reader = new LogReader({ db, session, blobs: this.#blobs });
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Whether the disk took no writes when it was opened. Such a log must be closed after use: see `openForReading`. */
  get isForReading(): boolean {
    return this.#refusal !== undefined;
  }

  header(): SessionHeader {
    const header = headerIn(this.#db);
    if (!header) throw this.#damage({ where: 'Header', what: 'it is not what was written' });
    return header;
  }

  head(): HeadRow {
    const row = this.#head.get() as HeadRow | undefined;
    // Deleting a session removes its head first, so that other connections notice.
    if (!row) throw new FailureError({ kind: 'missing', session: this.#session });
    if (headSum(row) !== row.sum) throw this.#damage({ where: 'Head', what: 'it is not what was written' });
    return row;
  }

  /** All batches in one transaction with one sync. Conflicting ones are rejected; the others are written. */
  append(appends: readonly AppendArgs[]): Outcome<Head>[] {
    if (this.#refusal !== undefined) throw this.#refusal;
    try {
      return this.#appendAll({ appends, insert: (input) => this.#insertAll(input) });
    } catch (error) {
      if (!appends.some((append) => objection({ error, append }))) throw error;
      // Rare enough to do everything again: only now is it worth what it costs to be able to take one back.
      return this.#appendAll({ appends, insert: (input) => this.#insertOrTakeBack(input) });
    }
  }

  #appendAll({
    appends,
    insert,
  }: {
    readonly appends: readonly AppendArgs[];
    readonly insert: (input: { readonly head: HeadRow; readonly append: AppendArgs }) => HeadRow | Failure;
  }): Outcome<Head>[] {
    this.#begin.run();
    const { outcomes, ...known } = finish(this.#db, () => {
      const version = this.#version();
      const before = this.#known && this.#known.version === version ? this.#known.head : this.head();
      let head = before;
      const outcomes = appends.map((append): Outcome<Head> => {
        if (head.last !== append.expect) {
          const { session, expect: expected } = append;
          return { failure: { kind: 'conflict', session, expected, head: headOf(head) } };
        }
        const after = insert({ head, append });
        if ('kind' in after) return { failure: after };
        head = after;
        return { value: headOf(head) };
      });
      if (head !== before) head = this.#writeHead(head);
      return { head, outcomes, version };
    });
    this.#known = known;
    return outcomes;
  }

  #insertOrTakeBack({ head, append }: { readonly head: HeadRow; readonly append: AppendArgs }): HeadRow | Failure {
    this.#db.exec('SAVEPOINT one');
    try {
      const after = this.#insertAll({ head, append });
      this.#db.exec('RELEASE one');
      return after;
    } catch (error) {
      const failure = objection({ error, append });
      if (!failure) throw error;
      this.#db.exec('ROLLBACK TO one; RELEASE one');
      this.#blobs.forget();
      return failure;
    }
  }

  read(args: ReadArgs): ReadReply {
    return snapshot(this.#db, () => this.#reader.read({ ...args, head: this.head() }));
  }

  /** The ranges of handles that the path to the leaf consists of, newest first. Notes stand between the nodes of a range. */
  path(): { readonly from: number; readonly to: number }[] {
    const runOf = this.#db.prepare('SELECT start, base FROM runs WHERE start <= ? ORDER BY start DESC LIMIT 1');
    const { leaf } = this.head();
    const ranges: { from: number; to: number }[] = [];
    let to = leaf === null ? 0 : Number(this.#handleOf.get(leaf)?.handle ?? 0);
    while (to > 0) {
      const run = runOf.get(to) as { start: number; base: number } | undefined;
      if (!run || run.base >= to) break;
      ranges.push({ from: run.start, to });
      to = run.base;
    }
    return ranges;
  }

  /** Marks the log as deleted: no process reads or appends after this. */
  retire(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#db.exec('DELETE FROM head');
  }

  /** The process that works on the session. */
  lease(): Lease | null {
    const { leases } =
      this.#db.prepare("SELECT count(*) AS leases FROM sqlite_master WHERE name = 'lease'").get() ?? {};
    if (!leases) return null;
    const row = this.#db.prepare('SELECT holder FROM lease').get();
    // A damaged lease protects nothing: it is treated as absent, and the next one replaces it.
    return row ? leaseIn(String(row.holder)) : null;
  }

  /** Replaces the lease if its token is `expect`; returns the one in force. */
  swapLease({ expect, next }: { readonly expect: string | null; readonly next: Lease | null }): Lease | null {
    if (this.#refusal !== undefined) throw this.#refusal;
    return transaction(this.#db, () => {
      // A session that was deleted has no head.
      this.head();
      const found = this.lease();
      if ((found?.token ?? null) !== expect) return found;
      // Not part of the schema: logs of earlier versions have no such table, and those versions ignore it.
      this.#db.exec('CREATE TABLE IF NOT EXISTS lease (one INTEGER PRIMARY KEY CHECK (one = 1), holder TEXT NOT NULL)');
      if (next) {
        this.#db.prepare('INSERT OR REPLACE INTO lease (one, holder) VALUES (1, ?)').run(JSON.stringify(next));
      } else this.#db.exec('DELETE FROM lease');
      return next;
    });
  }

  close(): void {
    this.#db.close();
  }

  #insertAll({ head, append }: { readonly head: HeadRow; readonly append: AppendArgs }): HeadRow {
    // Blobs are on disk before the commit that names them.
    const texts = append.rows.flatMap((row) => row.spilled.map(({ text }) => text));
    const names = texts.length === 0 ? [] : this.#blobs.keep(texts);
    let next = { ...head };
    let named = 0;
    for (const row of append.rows) {
      const nth = next.count + 1;
      const spilled = row.spilled.map(({ place }) => {
        named += 1;
        return [place, names[named - 1]];
      });
      const blobs = spilled.length === 0 ? null : JSON.stringify(spilled);
      const { handle, id, type, key, body } = row;
      if (handle <= next.last)
        throw rejection({ append, why: `the handle @${handle} does not come after @${next.last}` });
      // SQLite would store another id, and nothing could refer to the entry.
      if (!id.isWellFormed()) throw rejection({ append, why: `the id of @${handle} is not valid Unicode` });
      this.#insert.run(handle, nth, id, type, key, body, blobs, rowSum({ handle, nth, id, type, body, blobs }));
      if (next.count === 0 || next.span !== row.epoch) this.#addSpan.run(handle, row.epoch);
      if (row.isNode && (row.parent === null || row.parent !== next.tip))
        this.#addRun.run(handle, this.#base(row.parent));
      next = {
        ...next,
        last: handle,
        count: nth,
        tip: row.isNode ? id : next.tip,
        span: row.epoch,
        messages: next.messages + (type === 'message' ? 1 : 0),
        updated: Math.max(next.updated, row.at),
        title: next.title ?? row.title ?? null,
        name: row.name === undefined ? next.name : row.name || null,
      };
    }
    return { ...next, leaf: append.leaf, epoch: append.epoch };
  }

  #writeHead(head: HeadRow): HeadRow {
    const { last, count, leaf, epoch, tip, span, messages, updated, title, name } = head;
    const sum = headSum(head);
    this.#setHead.run(last, count, leaf, epoch, tip, span, messages, updated, title, name, sum);
    return { ...head, sum };
  }

  /** SQLite counts up when another connection, in whatever process, has committed. */
  #version(): unknown {
    return this.#dataVersion.get()?.data_version;
  }

  #base(parent: string | null): number {
    return parent === null ? 0 : Number(this.#handleOf.get(parent)?.handle ?? 0);
  }

  #damage({ where, what }: { readonly where: string; readonly what: string }): DamageError {
    return new DamageError({ where: `${where} of session ${this.#session}`, what });
  }
}

function rejection({ append, why }: { readonly append: AppendArgs; readonly why: string }): FailureError {
  return new FailureError({ kind: 'rejected', session: append.session, why });
}

/** What is wrong with this append alone; `undefined` for what concerns the file. */
function objection({ error, append }: { readonly error: unknown; readonly append: AppendArgs }): Failure | undefined {
  if (error instanceof FailureError) return error.failure;
  const { errcode, message } = error as { errcode?: number; message?: string };
  // Handles are checked before, so what SQLite finds twice is an id.
  const isConstraint = errcode !== undefined && (errcode & 0xff) === 19;
  return isConstraint ? rejection({ append, why: `an id is taken (${message})` }).failure : undefined;
}

/** A reply ends after about this many characters; the next page follows when asked for. */
const pageLength = 8_000_000;

interface Page extends ReadReply {
  readonly places: readonly Pick<SelectedRow, 'handle' | 'nth'>[];
}

interface ReadProgress {
  readonly query: EntryQuery;
  /** Rows up to this handle were in earlier pages. */
  readonly from: number;
  readonly head: HeadRow;
}

/** Reads rows of a log: verified, in order of handle, a page at a time. */
class LogReader {
  readonly #db: DatabaseSync;
  readonly #session: string;
  readonly #blobs: Blobs;
  readonly #prepared = new Map<string, StatementSync>();

  constructor({ db, session, blobs }: { readonly db: DatabaseSync; readonly session: string; readonly blobs: Blobs }) {
    this.#db = db;
    this.#session = session;
    this.#blobs = blobs;
  }

  read(input: ReadProgress): ReadReply {
    const { rows, done } = this.#select(input);
    return { rows, done };
  }

  #select({ query, from, head }: ReadProgress): Page {
    if ('ids' in query) return this.#byId({ ids: query.ids, from });
    if ('after' in query) return this.#after({ query, from, head });
    if ('epoch' in query) return this.#ofEpoch({ epoch: query.epoch, from, head });
    if ('handles' in query) return this.#page({ where: `handle IN ${given}`, values: [query.handles], from });
    if ('keys' in query) {
      const first = `SELECT min(handle) FROM entries WHERE key IN ${given} GROUP BY key`;
      const keys = query.keys.map((key) => JSON.stringify(key));
      return this.#page({ where: `handle IN (${first})`, values: [keys], from });
    }
    // Only with the condition may SQLite use the index that leaves messages out.
    const isNotable = query.types.includes('message') ? '' : "type <> 'message' AND ";
    return this.#page({ where: `${isNotable}type IN ${given}`, values: [query.types], from });
  }

  #byId({ ids, from }: { readonly ids: readonly string[]; readonly from: number }): Page {
    const wanted = [...new Set(ids)];
    const found = this.#page({ where: `id IN ${given}`, values: [wanted], from });
    if (!found.done || from > 0 || found.rows.length === wanted.length) return found;
    // Rare, and the one case in which a damaged index of ids would be silence: look at every entry.
    return this.#page({ where: `+id IN ${given}`, values: [wanted], from });
  }

  #after({ query, from, head }: { query: { after: number; limit?: number }; from: number; head: HeadRow }): Page {
    const start = Math.max(query.after, from);
    const end = query.limit === undefined ? head.last : this.#lastOf({ after: query.after, limit: query.limit, head });
    const page = this.#page({ where: 'handle <= ?', values: [end], from: start });
    const { places, done } = page;
    // Rows are numbered without gaps, so that none can be missing unnoticed.
    for (const [index, { nth }] of places.entries()) {
      const before = index === 0 ? (start === 0 ? 0 : nth - 1) : (places[index - 1]?.nth ?? 0);
      if (nth !== before + 1) throw this.#damage({ handle: (places[index - 1]?.handle ?? start) + 1, what: missing });
    }
    if (done && end > start && places.at(-1)?.handle !== end) throw this.#damage({ handle: end, what: missing });
    return page;
  }

  /** The last handle that a limited read returns. */
  #lastOf({ after, limit, head }: { after: number; limit: number; head: HeadRow }): number {
    if (limit <= 0) return after;
    const sql = 'SELECT handle FROM entries WHERE handle > ? ORDER BY handle LIMIT 1 OFFSET ?';
    const row = this.#db.prepare(sql).get(after, limit - 1);
    return row === undefined ? head.last : Number(row.handle);
  }

  #ofEpoch({ epoch, from, head }: { epoch: string | null; from: number; head: HeadRow }): Page {
    const next = 'SELECT min(start) FROM spans AS later WHERE later.start > spans.start';
    const spans = this.#db.prepare(`SELECT start, (${next}) AS next FROM spans WHERE epoch IS ? ORDER BY start`);
    const rows: StoredRow[] = [];
    for (const span of spans.all(epoch) as unknown as { start: number; next: number | null }[]) {
      const end = span.next === null ? head.last : span.next - 1;
      if (end <= from) continue;
      const page = this.#page({ where: 'handle <= ?', values: [end], from: Math.max(span.start - 1, from) });
      rows.push(...page.rows);
      if (!page.done) return { rows, done: false, places: [] };
    }
    return { rows, done: true, places: [] };
  }

  /** Rows that fit the condition, until the page is full. Lists go in as JSON. */
  #page({
    where,
    values,
    from,
  }: {
    readonly where: string;
    readonly values: readonly (number | readonly (string | number)[])[];
    readonly from: number;
  }): Page {
    const bound = values.map((value): Value => (typeof value === 'number' ? value : JSON.stringify(value)));
    const rows: StoredRow[] = [];
    const places: Pick<SelectedRow, 'handle' | 'nth'>[] = [];
    let length = 0;
    const found = this.#prepare(where).iterate(...bound, from) as Iterable<unknown> as Iterable<SelectedRow>;
    for (const row of found) {
      const stored = this.#verified(row);
      rows.push(stored);
      places.push({ handle: row.handle, nth: row.nth });
      length += stored.body.length + (stored.spilled?.reduce((sum, { text }) => sum + text.length, 0) ?? 0);
      if (length >= pageLength) return { rows, places, done: false };
    }
    return { rows, places, done: true };
  }

  #prepare(where: string): StatementSync {
    const sql = `SELECT * FROM entries WHERE ${where} AND handle > ? ORDER BY handle`;
    const statement = this.#prepared.get(sql) ?? this.#db.prepare(sql);
    this.#prepared.set(sql, statement);
    return statement;
  }

  #verified(row: SelectedRow): StoredRow {
    const { handle, body } = row;
    if (rowSum(row) !== row.sum) throw this.#damage({ handle, what: 'it is not what was written' });
    if (row.blobs === null) return { handle, body };
    const named = (parseJson(row.blobs) ?? []) as unknown as readonly (readonly [JsonPath, string])[];
    return { handle, body, spilled: named.map(([place, name]) => ({ place, text: this.#blobs.text(name) })) };
  }

  #damage({ handle, what }: { readonly handle: number; readonly what: string }): DamageError {
    return new DamageError({ what, where: `Entry @${handle} of session ${this.#session}` });
  }
}

const given = '(SELECT value FROM json_each(?))';
const missing = 'it is missing';
