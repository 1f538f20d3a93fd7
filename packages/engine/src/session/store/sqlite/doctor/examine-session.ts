import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isObject, parseJson } from '../../../../json.ts';
import type { EntryId } from '../../../entry/entry.ts';
import { nodeTypes } from '../../../entry/entry.ts';
import type { SessionHeader } from '../../store.ts';
import { Blobs } from '../blobs.ts';
import { openExisting } from '../database.ts';
import { failureOf } from '../failure.ts';
import type { Files } from '../files.ts';
import type { SessionPlace } from '../layout.ts';
import { logSchema } from '../schema.ts';
import { type HeadRow, headerSum, headSum } from '../sums.ts';
import { lastHandle } from './last-handle.ts';
import type { Problem } from './report.ts';
import { scan } from './scan.ts';

export interface Findings {
  readonly header: SessionHeader | undefined;
  readonly entries: number;
  readonly problems: readonly Problem[];
  /** Blobs and half-written files that no entry names. */
  readonly leftovers: readonly string[];
}

/** Looks at everything in a session's folder. Changes nothing. */
export function examineSession({ place, files }: { readonly place: SessionPlace; readonly files: Files }): Findings {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => {
    problems.push(problem);
  };
  let db: DatabaseSync;
  try {
    db = openExisting({ path: place.log, version: logSchema.version });
  } catch (error) {
    report({ kind: 'log-unreadable', where: 'log', what: explain(error) });
    return { header: undefined, entries: 0, problems, leftovers: [] };
  }
  try {
    const header = guarded({ where: 'header', report, work: () => headerIn({ db, report }) });
    guarded({ where: 'log', report, work: () => checkStructure({ db, report }) });
    const checked = guarded({ where: 'entries', report, work: () => checkEntries({ db, place, files, report }) });
    return { header, entries: checked?.entries ?? 0, problems, leftovers: checked?.leftovers ?? [] };
  } finally {
    db.close();
  }
}

/** The header, when it is what was written. */
export function headerIn({
  db,
  report,
}: {
  readonly db: DatabaseSync;
  readonly report: (problem: Problem) => void;
}): SessionHeader | undefined {
  const { header, sum } = db.prepare('SELECT header, sum FROM meta').get() ?? {};
  const value = typeof header === 'string' ? parseJson(header) : undefined;
  if (isObject(value) && headerSum(String(header)) === sum) return value as unknown as SessionHeader;
  report({ kind: 'header-damaged', where: 'header', what: 'it is not what was written' });
  return undefined;
}

function checkStructure({ db, report }: { db: DatabaseSync; report: (problem: Problem) => void }): void {
  for (const row of db.prepare('PRAGMA integrity_check(20)').all()) {
    const said = String(Object.values(row)[0]);
    if (said !== 'ok') report({ kind: 'structure-damaged', where: 'log', what: said });
  }
}

function checkEntries({
  db,
  place,
  files,
  report,
}: {
  db: DatabaseSync;
  place: SessionPlace;
  files: Files;
  report: (problem: Problem) => void;
}) {
  const blobs = new Blobs({ files, folder: place.blobs, session: place.name });
  const epochs = new Map<EntryId, EntryId | null>();
  const named = new Set<string>();
  const spans: string[] = [];
  const runs: string[] = [];
  let [entries, last, leaf, tip, span] = [
    0,
    0,
    null as EntryId | null,
    null as EntryId | null,
    undefined as EntryId | null | undefined,
  ];
  const handles = new Map<EntryId, number>();
  for (const { handle, nth, entry, blobs: names } of scan({ db, blobs, last: lastHandle(db), report })) {
    const where = `@${handle}`;
    entries += 1;
    if (nth !== entries && problemsAreNew({ nth, entries })) {
      report({ kind: 'entry-missing', where: `before ${where}`, what: `${nth - entries} entries are gone` });
      entries = nth;
    }
    const parent = entry.parentId;
    // Parents stand before their children, so a cycle cannot hide from this.
    if (parent !== null && !handles.has(parent))
      report({ kind: 'parent-missing', where, what: `its parent ${parent} is not before it` });
    handles.set(entry.id, handle);
    epochs.set(entry.id, entry.epoch);
    for (const name of names) named.add(name);
    if (span === undefined || span !== entry.epoch) spans.push(`${handle}:${entry.epoch}`);
    span = entry.epoch;
    if (nodeTypes.has(entry.type)) {
      if (parent === null || parent !== tip) runs.push(`${handle}:${parent === null ? 0 : (handles.get(parent) ?? 0)}`);
      [leaf, tip] = [entry.id, entry.id];
    }
    if (entry.type === 'leaf') leaf = entry.target;
    last = handle;
  }
  const head = db.prepare('SELECT * FROM head').get() as unknown as HeadRow | undefined;
  const epoch = leaf === null ? null : (epochs.get(leaf) ?? null);
  const expected = { last, count: entries, leaf, epoch };
  if (!head || headSum(head) !== head.sum) {
    report({ kind: 'head-damaged', where: 'head', what: 'it is not what was written' });
  } else {
    for (const key of ['last', 'count', 'leaf', 'epoch'] as const) {
      if (head[key] !== expected[key])
        report({ kind: 'head-differs', where: 'head', what: `${key} is ${head[key]}, the log says ${expected[key]}` });
    }
  }
  const table = (sql: string) =>
    db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row).join(':'));
  const isSame = (a: readonly string[], b: readonly string[]) => JSON.stringify(a) === JSON.stringify(b);
  const storedSpans = db
    .prepare('SELECT start, epoch FROM spans ORDER BY start')
    .all()
    .map(({ start, epoch: of }) => `${start}:${of}`);
  if (!isSame(storedSpans, spans))
    report({ kind: 'lookup-damaged', where: 'epochs', what: 'they do not fit the entries' });
  if (!isSame(table('SELECT start, base FROM runs ORDER BY start'), runs))
    report({ kind: 'lookup-damaged', where: 'paths', what: 'they do not fit the entries' });
  return { entries: handles.size, leftovers: strayFiles({ place, named }) };
}

/** A page that cannot be read was reported already, with all that was on it; one report for each gap is enough. */
function problemsAreNew({ nth, entries }: { nth: number; entries: number }): boolean {
  return nth > entries;
}

function strayFiles({ place, named }: { place: SessionPlace; named: ReadonlySet<string> }): string[] {
  if (!statSync(place.blobs, { throwIfNoEntry: false })) return [];
  return (
    readdirSync(place.blobs)
      // A damaged blob that was healed stays beside the whole one.
      .filter((name) => !named.has(name) && !name.endsWith('.damaged'))
      .map((name) => join(place.blobs, name))
  );
}

function guarded<T>({
  where,
  report,
  work,
}: {
  where: string;
  report: (problem: Problem) => void;
  work: () => T;
}): T | undefined {
  try {
    return work();
  } catch (error) {
    report({ kind: 'log-damaged', where, what: explain(error) });
    return undefined;
  }
}

function explain(error: unknown): string {
  const failure = failureOf({ error, where: '' });
  if ('what' in failure) return failure.what;
  return 'cause' in failure ? failure.cause : failure.kind;
}
