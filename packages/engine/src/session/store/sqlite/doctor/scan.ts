import type { DatabaseSync } from 'node:sqlite';
import { isObject, parseJson } from '../../../../json.ts';
import type { Entry } from '../../../entry/entry.ts';
import type { Blobs } from '../blobs.ts';
import { failureOf } from '../failure.ts';
import type { SelectedRow } from '../row.ts';
import { type JsonPath, type Spilled, unspill } from '../spill.ts';
import { rowSum } from '../sums.ts';
import type { DoctorProblem } from './report.ts';

/** An entry as it was found, whole, or as far as it could be saved. */
export interface Scanned {
  readonly handle: number;
  readonly nth: number;
  readonly entry: Entry;
  readonly blobs: readonly string[];
}

/**
 * Goes over all entries that can be read, also past pages that cannot, and says what is wrong with the others.
 */
export function* scan({
  db,
  blobs,
  last,
  report,
}: {
  readonly db: DatabaseSync;
  readonly blobs: Blobs;
  /** The newest handle that may be there, as far as anybody knows. */
  readonly last: number;
  readonly report: (problem: DoctorProblem) => void;
}): Generator<Scanned> {
  for (const row of rawRows({ db, last, report })) {
    const scanned = examined({ row, blobs, report });
    if (scanned) yield scanned;
  }
}

function* rawRows({
  db,
  last,
  report,
}: {
  readonly db: DatabaseSync;
  readonly last: number;
  readonly report: (problem: DoctorProblem) => void;
}): Generator<SelectedRow> {
  let done = 0;
  while (done < last || done === 0) {
    try {
      const rows = db.prepare('SELECT * FROM entries WHERE handle > ? ORDER BY handle').iterate(done);
      for (const row of rows as Iterable<unknown> as Iterable<SelectedRow>) {
        done = Math.max(done, row.handle);
        yield row;
      }
      return;
    } catch (error) {
      const failure = failureOf({ error, where: '' });
      const what = 'what' in failure ? failure.what : failure.kind;
      const next = nextReadable({ db, after: done, last });
      const where = next === undefined ? `@${done + 1} and what follows` : `@${done + 1} to @${next - 1}`;
      report({ kind: 'page-damaged', where, what });
      if (next === undefined) return;
      done = next - 1;
    }
  }
}

/** The next entry that can be read on its own. */
function nextReadable({ db, after, last }: { db: DatabaseSync; after: number; last: number }): number | undefined {
  for (let handle = after + 2; handle <= last; handle += 1) {
    try {
      if (db.prepare('SELECT 1 FROM entries WHERE handle = ? AND length(body) >= 0').get(handle)) return handle;
    } catch {
      // On the same damaged page.
    }
  }
  return undefined;
}

function examined({
  row,
  blobs,
  report,
}: {
  row: SelectedRow;
  blobs: Blobs;
  report: (problem: DoctorProblem) => void;
}): Scanned | undefined {
  const where = `@${row.handle}`;
  const value = rowSum(row) === row.sum ? parseJson(row.body) : undefined;
  if (!isObject(value) || value.handle !== row.handle || value.id !== row.id) {
    report({ kind: 'entry-damaged', where, what: 'it is not what was written' });
    return undefined;
  }
  const named = (parseJson(row.blobs ?? '[]') ?? []) as unknown as readonly (readonly [JsonPath, string])[];
  const spilled = named.map(([place, name]): Spilled => ({ place, text: textOf({ name, where, blobs, report }) }));
  const entry = unspill({ value, spilled }) as Entry;
  return { handle: row.handle, nth: row.nth, entry, blobs: named.map(([, name]) => name) };
}

function textOf({
  name,
  where,
  blobs,
  report,
}: {
  name: string;
  where: string;
  blobs: Blobs;
  report: (problem: DoctorProblem) => void;
}): string {
  try {
    return blobs.text(name);
  } catch (error) {
    report({ kind: 'blob-damaged', where, what: (error as Error).message });
    return `[lost: the text with the SHA-256 ${name}]`;
  }
}
