import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseJson } from '../../../json.ts';
import { DamageError } from '../errors.ts';
import type { EntryQuery } from '../store.ts';
import type { Blobs } from './blobs.ts';
import type { Value } from './database.ts';
import type { ReadReply } from './protocol.ts';
import type { StoredRow } from './row.ts';
import type { JsonPath } from './spill.ts';
import { type HeadRow, rowSum } from './sums.ts';

/** A reply ends after about this many characters; the next page follows when asked for. */
const pageLength = 8_000_000;

interface EntryRow {
  readonly handle: number;
  readonly nth: number;
  readonly id: string;
  readonly type: string;
  readonly body: string;
  readonly blobs: string | null;
  readonly sum: number;
}

interface Page extends ReadReply {
  readonly places: readonly Pick<EntryRow, 'handle' | 'nth'>[];
}

interface ReadProgress {
  readonly query: EntryQuery;
  /** Rows up to this handle were in earlier pages. */
  readonly from: number;
  readonly head: HeadRow;
}

/** Reads rows of a log: verified, in order of handle, a page at a time. */
export class LogReader {
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
    const places: Pick<EntryRow, 'handle' | 'nth'>[] = [];
    let length = 0;
    const found = this.#prepare(where).iterate(...bound, from) as Iterable<unknown> as Iterable<EntryRow>;
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

  #verified(row: EntryRow): StoredRow {
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
