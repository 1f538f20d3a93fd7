import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isPlausible } from '../../../entry/plausible.ts';
import type { SessionHeader, SessionId } from '../../store.ts';
import { Blobs } from '../blobs.ts';
import { folderNames, lastSeen } from '../catalog.ts';
import { checkIsFile, openAsFarAsPossible, openExisting, transaction } from '../database.ts';
import { FailureError, failureOf, isDamage } from '../failure.ts';
import type { StoreFiles } from '../files.ts';
import { headerIn } from '../header.ts';
import { type SessionPlace, type StoreLayout, unfinished } from '../layout.ts';
import { logSchema } from '../schema.ts';
import { databaseFiles, setAside } from '../set-aside.ts';
import { type HeadRow, headSum } from '../sums.ts';
import { Follower } from './follower.ts';
import { lastHandle } from './last-handle.ts';
import { repair } from './repair.ts';
import type { DoctorProblem, DoctorReport, SessionReport } from './report.ts';
import { scan } from './scan.ts';

/** Looks at one session or at everything; with `fix`, repairs what is damaged and sweeps what is left over. */
export function examine({
  layout,
  files,
  session,
  fix = false,
}: {
  readonly layout: StoreLayout;
  readonly files: StoreFiles;
  readonly session?: SessionId;
  readonly fix?: boolean;
}): DoctorReport {
  const names = session === undefined ? folderNames(layout.sessions) : [layout.session(session).name];
  const leftovers: string[] = [];
  const problems = diskProblems({ layout, files });
  const sessions = names.map((name): SessionReport => {
    const place = layout.place(name);
    if (!existsSync(place.folder)) throw new FailureError({ kind: 'missing', session: session ?? name });
    const seen = examineSession({ place, files });
    // A disk that takes no writes is named once, not for every session.
    const refusals = seen.refusal && problems.length === 0 ? [seen.refusal] : [];
    const found = { ...seen, problems: [...seen.problems, ...lossOf({ seen, place, layout }), ...refusals] };
    leftovers.push(...found.leftovers);
    if (fix && found.problems.length === 0) removeStray({ place, paths: found.leftovers });
    const header: SessionHeader = found.header ?? { v: 1, id: session ?? name, createdAt: 0 };
    const isSound = found.problems.length === 0;
    const facts = { session: header.id, sound: isSound, entries: found.entries };
    const said = [...found.problems, ...found.remarks];
    if (isSound || !fix || said.some(({ kind }) => kind === logRefused)) return { ...facts, problems: said };
    try {
      return { ...facts, problems: said, repaired: repair({ layout, files, place, header }) };
    } catch (error) {
      return { ...facts, problems: [...said, notRepaired({ where: place.folder, error })] };
    }
  });
  const unfinishedWork = session === undefined ? abandoned(layout) : [];
  leftovers.push(...unfinishedWork);
  // On a disk that takes no writes they are made in memory.
  if (session === undefined && problems.length === 0) problems.push(...derivedProblems({ layout, files, fix }));
  if (fix) removeSettled(unfinishedWork);
  return { sound: problems.length === 0 && sessions.every(({ sound }) => sound), sessions, problems, leftovers };
}

function notRepaired({ where, error }: { readonly where: string; readonly error: unknown }): DoctorProblem {
  const hint = 'The original is as it was. Make room or the folder writable, then run `longhaul doctor --fix` again.';
  return { kind: 'not-repaired', where, what: `it could not be repaired: ${explain(error)}`, hint };
}

/** A log that is shorter than the catalog recorded: its write-ahead log was removed. */
function lossOf({
  seen,
  place,
  layout,
}: {
  seen: Findings;
  place: SessionPlace;
  layout: StoreLayout;
}): DoctorProblem[] {
  const before = lastSeen({ layout, place, header: seen.header });
  if (before <= seen.last) return [];
  return [
    { kind: 'entries-lost', where: `after @${seen.last}`, what: `the catalog has seen the session at @${before}` },
  ];
}

/** Sessions that were never finished, and those whose removal was not. */
function abandoned(layout: StoreLayout): string[] {
  const unmade = readdirSync(layout.sessions).filter((name) => name.includes(unfinished));
  const removed = existsSync(layout.removed) ? readdirSync(layout.removed) : [];
  return [...unmade.map((name) => join(layout.sessions, name)), ...removed.map((name) => join(layout.removed, name))];
}

function derivedProblems({
  layout,
  files,
  fix,
}: {
  layout: StoreLayout;
  files: StoreFiles;
  fix: boolean;
}): DoctorProblem[] {
  return (['catalog', 'index'] as const).flatMap((which): DoctorProblem[] => {
    const path = layout[which];
    const what = existsSync(path) ? structureProblem(path) : undefined;
    if (what === undefined) return [];
    const problem: DoctorProblem = { kind: `${which}-damaged`, where: path, what };
    if (!fix) return [problem];
    try {
      setAside({ layout, files, paths: databaseFiles(path) });
      return [problem];
    } catch (error) {
      return [problem, notRepaired({ where: path, error })];
    }
  });
}

/** What keeps a derived database from being opened and written; a disk that takes no writes at all is named once. */
function structureProblem(path: string): string | undefined {
  let db: DatabaseSync | undefined;
  try {
    checkIsFile(path);
    db = new DatabaseSync(path, { timeout: 10_000 });
    const said = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
    if (said !== 'ok') return String(said);
    transaction(db, () => {});
    return undefined;
  } catch (error) {
    return explain(error);
  } finally {
    db?.close();
  }
}

/** What is younger than this may be the work of a process that is still at it. */
const settledAge = 60_000;

function removeSettled(paths: readonly string[]): void {
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs < Date.now() - settledAge) rmSync(path, { recursive: true, force: true });
  }
}

/** Removes unreferenced blobs. An append looks up its blobs under the same lock, so none can start meanwhile. */
function removeStray({ place, paths }: { readonly place: SessionPlace; readonly paths: readonly string[] }): void {
  if (paths.length === 0) return;
  const db = openExisting({ path: place.log, version: logSchema.version });
  try {
    transaction(db, () => {
      const naming = db.prepare('SELECT 1 FROM entries WHERE blobs IS NOT NULL AND instr(blobs, ?) > 0 LIMIT 1');
      removeSettled(paths.filter((path) => naming.get(basename(path)) === undefined));
    });
  } finally {
    db.close();
  }
}

/** What one small append needs, with the files that SQLite makes for it. */
const probeBytes = 65_536;

/** Whether the store's disk takes writes. Writes a file and removes it; one that a kill leaves is swept like a draft. */
function diskProblems({
  layout,
  files,
}: {
  readonly layout: StoreLayout;
  readonly files: StoreFiles;
}): DoctorProblem[] {
  const probe = layout.place(`probe${unfinished}${process.pid}-${Date.now()}`).folder;
  try {
    files.writeSynced(probe, new Uint8Array(probeBytes));
    return [];
  } catch (error) {
    const failure = failureOf({ error, where: layout.dir });
    if (failure.kind !== 'write') throw error;
    const what = `nothing can be written: ${failure.why}`;
    const hint =
      'Sessions can be read and exported elsewhere; to go on, make room (`longhaul delete`) or make it writable.';
    return [{ kind: 'disk-refuses', where: layout.dir, what, hint }];
  } finally {
    rmSync(probe, { force: true });
  }
}

interface Findings {
  readonly header: SessionHeader | undefined;
  readonly entries: number;
  /** The newest handle that was found. */
  readonly last: number;
  readonly problems: readonly DoctorProblem[];
  /** What is no damage, and what a repair would not change. */
  readonly remarks: readonly DoctorProblem[];
  /** The log can be read and not written. */
  readonly refusal?: DoctorProblem;
  /** Blobs and half-written files that no entry names. */
  readonly leftovers: readonly string[];
}

type ReportProblem = (problem: DoctorProblem) => void;

/** Looks at everything in a session's folder. Changes nothing. */
function examineSession({ place, files }: { readonly place: SessionPlace; readonly files: StoreFiles }): Findings {
  const problems: DoctorProblem[] = [];
  const report: ReportProblem = (problem) => problems.push(problem);
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
const logRefused = 'log-refused';

function openProblem({ place, error }: { place: SessionPlace; error: unknown }): DoctorProblem {
  if (!existsSync(place.log)) return { kind: 'log-missing', where: 'log', what: 'there is no log in the folder' };
  if (isDamage(error)) return { kind: 'log-unreadable', where: 'log', what: explain(error) };
  return refusalOf({ place, error });
}

function refusalOf({ place, error }: { place: SessionPlace; error: unknown }): DoctorProblem {
  const what = explain(error);
  const hint = `Make ${place.folder} and its files writable; log.sqlite-wal and log.sqlite-shm must be plain files.`;
  return { kind: logRefused, where: 'log', what: `it cannot be opened for writing: ${what}`, hint };
}

/** Times in the future put a session before all others, in the list and for `last` and `--continue`. */
function implausibleTimes({ db, header }: { db: DatabaseSync; header: SessionHeader | undefined }): DoctorProblem[] {
  const updated = Number(db.prepare('SELECT updated FROM head').get()?.updated ?? 0);
  const now = Date.now();
  if ([header?.createdAt ?? 0, updated].every((at) => isPlausible({ at, now }))) return [];
  const hint =
    'Export it with `longhaul export --format longhaul`, delete it and import the file: impossible times become unknown.';
  return [{ kind: 'time-implausible', where: 'time', what: 'it lies in the future or before 1970', hint }];
}

function checkHeader({ db, report }: { db: DatabaseSync; report: ReportProblem }): SessionHeader | undefined {
  const header = headerIn(db);
  if (!header) report({ kind: 'header-damaged', where: 'header', what: 'it is not what was written' });
  return header;
}

function checkStructure({ db, report }: { db: DatabaseSync; report: ReportProblem }): void {
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
  files: StoreFiles;
  follower: Follower;
  named: Set<string>;
  report: ReportProblem;
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

function checkHead({ db, follower, report }: { db: DatabaseSync; follower: Follower; report: ReportProblem }): void {
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

function checkLookups({ db, follower, report }: { db: DatabaseSync; follower: Follower; report: ReportProblem }): void {
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
      // The damaged copy of a restored blob is kept next to it.
      .filter((name) => !named.has(name) && !name.endsWith('.damaged'))
      .map((name) => join(place.blobs, name))
  );
}

function guarded<T>({ where, report, work }: { where: string; report: ReportProblem; work: () => T }): T | undefined {
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
  if ('why' in failure) return failure.why;
  return 'message' in failure ? failure.message : failure.kind;
}
