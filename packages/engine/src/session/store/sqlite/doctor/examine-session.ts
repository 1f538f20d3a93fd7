import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isPlausible } from '../../../entry/plausible.ts';
import type { SessionHeader } from '../../store.ts';
import { Blobs } from '../blobs.ts';
import { openAsFarAsPossible } from '../database.ts';
import { failureOf, isDamage } from '../failure.ts';
import type { Files } from '../files.ts';
import { headerIn } from '../header.ts';
import type { SessionPlace } from '../layout.ts';
import { logSchema } from '../schema.ts';
import { type HeadRow, headSum } from '../sums.ts';
import { Follower } from './follower.ts';
import { lastHandle } from './last-handle.ts';
import type { Problem } from './report.ts';
import { scan } from './scan.ts';

export interface Findings {
  readonly header: SessionHeader | undefined;
  readonly entries: number;
  /** The newest handle that was found. */
  readonly last: number;
  readonly problems: readonly Problem[];
  /** What is no damage, and what a repair would not change. */
  readonly remarks: readonly Problem[];
  /** The log can be read and not written. */
  readonly refusal?: Problem;
  /** Blobs and half-written files that no entry names. */
  readonly leftovers: readonly string[];
}

type Report = (problem: Problem) => void;

/** Looks at everything in a session's folder. Changes nothing. */
export function examineSession({ place, files }: { readonly place: SessionPlace; readonly files: Files }): Findings {
  const problems: Problem[] = [];
  const report: Report = (problem) => problems.push(problem);
  let opened: ReturnType<typeof openAsFarAsPossible>;
  try {
    opened = openAsFarAsPossible({ path: place.log, version: logSchema.version });
  } catch (error) {
    report(openProblem({ place, error }));
    return { header: undefined, entries: 0, last: 0, problems, remarks: [], leftovers: [] };
  }
  const { db, refusal } = opened;
  try {
    const header = guarded({ where: 'header', report, work: () => checkHeader({ db, report }) });
    guarded({ where: 'log', report, work: () => checkStructure({ db, report }) });
    const follower = new Follower();
    const named = new Set<string>();
    guarded({ where: 'entries', report, work: () => checkEntries({ db, place, files, follower, named, report }) });
    guarded({ where: 'head', report, work: () => checkHead({ db, follower, report }) });
    guarded({ where: 'lookups', report, work: () => checkLookups({ db, follower, report }) });
    const { count, last } = follower.head;
    const remarks = guarded({ where: 'head', report, work: () => implausibleTimes({ db, header }) }) ?? [];
    const findings = { header, entries: count, last, problems, remarks, leftovers: strayFiles({ place, named }) };
    return refusal === undefined ? findings : { ...findings, refusal: refusalOf({ place, error: refusal }) };
  } finally {
    db.close();
  }
}

/** Kind of the problem of a log that may be whole and cannot be opened: a repair would replace it by an empty one. */
export const logRefused = 'log-refused';

function openProblem({ place, error }: { place: SessionPlace; error: unknown }): Problem {
  if (!existsSync(place.log)) return { kind: 'log-missing', where: 'log', what: 'there is no log in the folder' };
  if (isDamage(error)) return { kind: 'log-unreadable', where: 'log', what: explain(error) };
  return refusalOf({ place, error });
}

function refusalOf({ place, error }: { place: SessionPlace; error: unknown }): Problem {
  const what = explain(error);
  const next = `Make ${place.folder} and its files writable; log.sqlite-wal and log.sqlite-shm must be plain files.`;
  return { kind: logRefused, where: 'log', what: `it cannot be opened for writing: ${what}`, next };
}

/** Times in the future put a session before all others, in the list and for `last` and `--continue`. */
function implausibleTimes({ db, header }: { db: DatabaseSync; header: SessionHeader | undefined }): Problem[] {
  const updated = Number(db.prepare('SELECT updated FROM head').get()?.updated ?? 0);
  const now = Date.now();
  if ([header?.createdAt ?? 0, updated].every((at) => isPlausible({ at, now }))) return [];
  const next =
    'Export it with `longhaul export --format longhaul`, delete it and import the file: impossible times become unknown.';
  return [{ kind: 'time-implausible', where: 'time', what: 'it lies in the future or before 1970', next }];
}

function checkHeader({ db, report }: { db: DatabaseSync; report: Report }): SessionHeader | undefined {
  const header = headerIn(db);
  if (!header) report({ kind: 'header-damaged', where: 'header', what: 'it is not what was written' });
  return header;
}

function checkStructure({ db, report }: { db: DatabaseSync; report: Report }): void {
  for (const row of db.prepare('PRAGMA integrity_check(20)').all()) {
    const said = String(Object.values(row)[0]);
    if (said !== 'ok') report({ kind: 'structure-damaged', where: 'log', what: said });
  }
}

function checkEntries({
  db,
  place,
  files,
  follower,
  named,
  report,
}: {
  db: DatabaseSync;
  place: SessionPlace;
  files: Files;
  follower: Follower;
  named: Set<string>;
  report: Report;
}): void {
  const blobs = new Blobs({ files, folder: place.blobs, session: place.name });
  let expected = 0;
  for (const { handle, nth, entry, blobs: names } of scan({ db, blobs, last: lastHandle(db), report })) {
    const where = `@${handle}`;
    expected += 1;
    if (nth !== expected) {
      report({ kind: 'entry-missing', where: `before ${where}`, what: `${nth - expected} entries cannot be read` });
    }
    expected = nth;
    // Parents stand before their children, so a cycle cannot hide from this.
    if (entry.parentId !== null && !follower.has(entry.parentId)) {
      report({ kind: 'parent-missing', where, what: `its parent ${entry.parentId} is not before it` });
    }
    follower.take(entry);
    for (const name of names) named.add(name);
  }
}

function checkHead({ db, follower, report }: { db: DatabaseSync; follower: Follower; report: Report }): void {
  const head = db.prepare('SELECT * FROM head').get() as unknown as HeadRow | undefined;
  if (!head || headSum(head) !== head.sum) {
    report({ kind: 'head-damaged', where: 'head', what: 'it is not what was written' });
    return;
  }
  for (const key of ['last', 'count', 'leaf', 'epoch'] as const) {
    const [stored, found] = [head[key], follower.head[key]];
    if (stored !== found)
      report({ kind: 'head-differs', where: 'head', what: `${key} is ${stored}, the log says ${found}` });
  }
}

function checkLookups({ db, follower, report }: { db: DatabaseSync; follower: Follower; report: Report }): void {
  const stored = (sql: string): string[] =>
    db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row).map(String).join(' '));
  const tables = [
    { where: 'epochs', found: stored('SELECT start, epoch FROM spans ORDER BY start'), wanted: follower.spans },
    { where: 'paths', found: stored('SELECT start, base FROM runs ORDER BY start'), wanted: follower.runs },
  ];
  for (const { where, found, wanted } of tables) {
    if (JSON.stringify(found) === JSON.stringify(wanted)) continue;
    report({ kind: 'lookup-damaged', where, what: 'they do not fit the entries' });
  }
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

function guarded<T>({ where, report, work }: { where: string; report: Report; work: () => T }): T | undefined {
  try {
    return work();
  } catch (error) {
    report({ kind: 'log-damaged', where, what: explain(error) });
    return undefined;
  }
}

export function explain(error: unknown): string {
  const failure = failureOf({ error, where: '' });
  if ('what' in failure) return failure.what;
  if ('why' in failure) return failure.why;
  return 'message' in failure ? failure.message : failure.kind;
}
