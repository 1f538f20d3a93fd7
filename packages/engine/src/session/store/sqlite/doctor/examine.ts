import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionHeader, SessionId } from '../../store.ts';
import { folderNames, lastSeen } from '../catalog.ts';
import { checkIsFile, openExisting, transaction } from '../database.ts';
import { FailureError } from '../failure.ts';
import type { Files } from '../files.ts';
import { type Layout, type SessionPlace, unfinished } from '../layout.ts';
import { logSchema } from '../schema.ts';
import { databaseFiles, setAside } from '../set-aside.ts';
import { diskProblems } from './disk.ts';
import { examineSession, explain, type Findings, logRefused } from './examine-session.ts';
import { repair } from './repair.ts';
import type { DoctorReport, Problem, SessionReport } from './report.ts';

/** Looks at one session or at everything; with `fix`, repairs what is damaged and sweeps what is left over. */
export function examine({
  layout,
  files,
  session,
  fix = false,
}: {
  readonly layout: Layout;
  readonly files: Files;
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

function notRepaired({ where, error }: { readonly where: string; readonly error: unknown }): Problem {
  const next = 'The original is as it was. Make room or the folder writable, then run `longhaul doctor --fix` again.';
  return { kind: 'not-repaired', where, what: `it could not be repaired: ${explain(error)}`, next };
}

/** A log that ends before where the catalog once saw it: somebody took its write-ahead log away. */
function lossOf({ seen, place, layout }: { seen: Findings; place: SessionPlace; layout: Layout }): Problem[] {
  const before = lastSeen({ layout, place, header: seen.header });
  if (before <= seen.last) return [];
  return [
    { kind: 'entries-lost', where: `after @${seen.last}`, what: `the catalog has seen the session at @${before}` },
  ];
}

/** Sessions that were never finished, and those whose removal was not. */
function abandoned(layout: Layout): string[] {
  const unmade = readdirSync(layout.sessions).filter((name) => name.includes(unfinished));
  const removed = existsSync(layout.removed) ? readdirSync(layout.removed) : [];
  return [...unmade.map((name) => join(layout.sessions, name)), ...removed.map((name) => join(layout.removed, name))];
}

function derivedProblems({ layout, files, fix }: { layout: Layout; files: Files; fix: boolean }): Problem[] {
  return (['catalog', 'index'] as const).flatMap((which): Problem[] => {
    const path = layout[which];
    const what = existsSync(path) ? structureProblem(path) : undefined;
    if (what === undefined) return [];
    const problem: Problem = { kind: `${which}-damaged`, where: path, what };
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

/** Removes blobs that no entry names. Nobody appends meanwhile: an append looks for its blobs under the same lock. */
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
