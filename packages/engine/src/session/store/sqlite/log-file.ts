import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DamageError } from '../errors.ts';
import type { Head, SessionHeader } from '../store.ts';
import { Blobs } from './blobs.ts';
import { beginWriting, type DatabaseLimits, finish, openAsFarAsPossible, snapshot } from './database.ts';
import { type Failure, FailureError } from './failure.ts';
import type { StoreFiles } from './files.ts';
import { headerIn } from './header.ts';
import type { SessionPlace } from './layout.ts';
import type { AppendArgs, Outcome, ReadArgs, ReadReply } from './protocol.ts';
import { LogReader } from './read.ts';
import { logSchema } from './schema.ts';
import { type HeadRow, headOf, headSum, rowSum } from './sums.ts';

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
