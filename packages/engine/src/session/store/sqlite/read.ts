import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { parseJson } from '../../../json.ts';
import { DamageError } from '../errors.ts';
import type { EntryQuery } from '../store.ts';
import type { Blobs } from './blobs.ts';
import type { Value } from './database.ts';
import type { ReadArgs, ReadReply } from './protocol.ts';
import type { StoredRow } from './row.ts';
import type { Place } from './spill.ts';
import { type HeadRow, rowSum } from './sums.ts';

export interface LogReader {
  read(args: ReadArgs & { readonly head: HeadRow }): ReadReply;
}

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

/** Reading rows of a log: verified, in order of handle, a page at a time. */
export function prepareReader({
  db,
  session,
  blobs,
}: {
  readonly db: DatabaseSync;
  readonly session: string;
  readonly blobs: Blobs;
}): LogReader {
  const prepared = new Map<string, StatementSync>();
  const prepare = (where: string): StatementSync => {
    const statement = prepared.get(where) ?? db.prepare(`SELECT * FROM entries ${where} ORDER BY handle`);
    prepared.set(where, statement);
    return statement;
  };

  function stored(row: EntryRow): StoredRow {
    if (rowSum(row) !== row.sum) throw damaged({ handle: row.handle, what: 'it is not what was written' });
    const { handle, body } = row;
    if (row.blobs === null) return { handle, body };
    const named = (parseJson(row.blobs) ?? []) as unknown as readonly (readonly [Place, string])[];
    return { handle, body, spilled: named.map(([place, name]) => ({ place, text: blobs.text(name) })) };
  }

  function damaged({ handle, what }: { readonly handle: number; readonly what: string }): DamageError {
    return new DamageError({ what, where: `Entry @${handle} of session ${session}` });
  }

  /** Rows of a statement until the page is full. */
  function page({ statement, values }: { readonly statement: StatementSync; readonly values: readonly Value[] }) {
    const rows: StoredRow[] = [];
    const raw: EntryRow[] = [];
    let length = 0;
    for (const row of statement.iterate(...values) as Iterable<unknown> as Iterable<EntryRow>) {
      const next = stored(row);
      rows.push(next);
      raw.push(row);
      length += next.body.length + (next.spilled?.reduce((sum, { text }) => sum + text.length, 0) ?? 0);
      if (length >= pageLength) return { rows, raw, done: false };
    }
    return { rows, raw, done: true };
  }

  function after({ query, from, head }: { query: { after: number; limit?: number }; from: number; head: HeadRow }) {
    const { limit } = query;
    const start = Math.max(query.after, from);
    const found = page({
      statement: prepare('WHERE handle > ? AND handle <= ?'),
      values: [start, limitOf({ query, db, from })],
    });
    let previous = found.raw[0];
    for (const row of found.raw.slice(1)) {
      if (previous && row.nth !== previous.nth + 1)
        throw damaged({ handle: previous.handle + 1, what: 'it is missing' });
      previous = row;
    }
    if (start === 0 && found.raw[0] && found.raw[0].nth !== 1) throw damaged({ handle: 1, what: 'it is missing' });
    const isEnd = found.done && limit === undefined;
    if (isEnd && head.last > start && previous?.handle !== head.last)
      throw damaged({ handle: head.last, what: 'it is missing' });
    return found;
  }

  function byIds({ ids, from }: { readonly ids: readonly string[]; readonly from: number }) {
    const wanted = new Set(ids);
    const list = JSON.stringify([...wanted]);
    const statement = prepare('WHERE id IN (SELECT value FROM json_each(?)) AND handle > ?');
    const found = page({ statement, values: [list, from] });
    if (!found.done || from > 0 || found.rows.length === wanted.size) return found;
    // Rare, and the one case in which a damaged index of ids would be silence: look at every entry.
    return page({
      statement: prepare('NOT INDEXED WHERE id IN (SELECT value FROM json_each(?)) AND handle > ?'),
      values: [list, from],
    });
  }

  return {
    read({ query, from, head }) {
      const { rows, done } = select({ query, from, head });
      return { rows, done };
    },
  };

  function select({ query, from, head }: { query: EntryQuery; from: number; head: HeadRow }) {
    if ('ids' in query) return byIds({ ids: query.ids, from });
    if ('after' in query) return after({ query, from, head });
    if ('handles' in query) {
      const values = [JSON.stringify(query.handles), from];
      return page({ statement: prepare('WHERE handle IN (SELECT value FROM json_each(?)) AND handle > ?'), values });
    }
    if ('types' in query) {
      const values = [JSON.stringify(query.types), from];
      // Only with this condition may SQLite use the index that leaves messages out.
      const where = query.types.includes('message') ? '' : "type <> 'message' AND ";
      return page({
        statement: prepare(`WHERE ${where}type IN (SELECT value FROM json_each(?)) AND handle > ?`),
        values,
      });
    }
    if ('keys' in query) return byKeys({ keys: query.keys, from });
    return ofEpoch({ epoch: query.epoch, from, head });
  }

  function byKeys({ keys, from }: { readonly keys: readonly string[]; readonly from: number }) {
    const list = JSON.stringify(keys.map((key) => JSON.stringify(key)));
    const first = 'SELECT min(handle) FROM entries WHERE key IN (SELECT value FROM json_each(?)) GROUP BY key';
    return page({ statement: prepare(`WHERE handle IN (${first}) AND handle > ?`), values: [list, from] });
  }

  function ofEpoch({ epoch, from, head }: { epoch: string | null; from: number; head: HeadRow }) {
    const spans = db.prepare(
      'SELECT start, (SELECT min(start) FROM spans AS later WHERE later.start > spans.start) AS end FROM spans WHERE epoch IS ? ORDER BY start',
    );
    const rows: StoredRow[] = [];
    for (const span of spans.all(epoch) as unknown as { start: number; end: number | null }[]) {
      const to = span.end === null ? head.last : span.end - 1;
      if (to <= from) continue;
      const found = page({
        statement: prepare('WHERE handle > ? AND handle <= ?'),
        values: [Math.max(span.start - 1, from), to],
      });
      rows.push(...found.rows);
      if (!found.done) return { rows, done: false };
    }
    return { rows, done: true };
  }
}

/** The last handle that a limited read may return. */
function limitOf({
  query,
  db,
  from,
}: {
  query: { after: number; limit?: number };
  db: DatabaseSync;
  from: number;
}): number {
  if (query.limit === undefined) return Number.MAX_SAFE_INTEGER;
  void from;
  const row = db
    .prepare('SELECT handle FROM entries WHERE handle > ? ORDER BY handle LIMIT 1 OFFSET ?')
    .get(query.after, Math.max(0, query.limit));
  return row === undefined ? Number.MAX_SAFE_INTEGER : Number(row.handle) - 1;
}
