import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SessionHeader, SessionId } from '../../store.ts';
import { folderNames, lastSeen } from '../catalogue.ts';
import { FailureError, failureOf } from '../failure.ts';
import type { Files } from '../files.ts';
import { type Layout, type SessionPlace, unfinished } from '../layout.ts';
import { databaseFiles, setAside } from '../set-aside.ts';
import { examineSession, type Findings } from './examine-session.ts';
import { repair } from './repair.ts';
import type { DoctorReport, Problem, SessionReport } from './report.ts';
import { removeSettled, removeStray } from './sweep.ts';

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
  const sessions = names.map((name): SessionReport => {
    const place = layout.place(name);
    if (!existsSync(place.folder)) throw new FailureError({ kind: 'missing', session: session ?? name });
    const seen = examineSession({ place, files });
    const found = { ...seen, problems: [...seen.problems, ...lossOf({ seen, place, layout })] };
    leftovers.push(...found.leftovers);
    if (fix && found.problems.length === 0) removeStray({ place, paths: found.leftovers });
    const header: SessionHeader = found.header ?? { v: 1, id: session ?? name, createdAt: 0 };
    const isSound = found.problems.length === 0;
    const facts = { session: header.id, sound: isSound, entries: found.entries, problems: found.problems };
    return isSound || !fix ? facts : { ...facts, repaired: repair({ layout, files, place, header }) };
  });
  const unfinishedWork = session === undefined ? abandoned(layout) : [];
  leftovers.push(...unfinishedWork);
  const problems = session === undefined ? derivedProblems({ layout, files, fix }) : [];
  if (fix) removeSettled(unfinishedWork);
  return { sound: problems.length === 0 && sessions.every(({ sound }) => sound), sessions, problems, leftovers };
}

/** A log that ends before where the catalogue once saw it: somebody took its write-ahead log away. */
function lossOf({ seen, place, layout }: { seen: Findings; place: SessionPlace; layout: Layout }): Problem[] {
  const before = lastSeen({ layout, place, header: seen.header });
  if (before <= seen.last) return [];
  return [
    { kind: 'entries-lost', where: `after @${seen.last}`, what: `the catalogue has seen the session at @${before}` },
  ];
}

/** Sessions that were never finished, and those whose removal was not. */
function abandoned(layout: Layout): string[] {
  const unmade = readdirSync(layout.sessions).filter((name) => name.includes(unfinished));
  const removed = existsSync(layout.removed) ? readdirSync(layout.removed) : [];
  return [...unmade.map((name) => join(layout.sessions, name)), ...removed.map((name) => join(layout.removed, name))];
}

function derivedProblems({ layout, files, fix }: { layout: Layout; files: Files; fix: boolean }): Problem[] {
  return (['catalogue', 'index'] as const).flatMap((which) => {
    const path = layout[which];
    const what = existsSync(path) ? structureProblem(path) : undefined;
    if (what === undefined) return [];
    if (fix) setAside({ layout, files, paths: databaseFiles(path) });
    return [{ kind: `${which}-damaged`, where: path, what }];
  });
}

function structureProblem(path: string): string | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 10_000 });
    const said = Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
    return said === 'ok' ? undefined : String(said);
  } catch (error) {
    const failure = failureOf({ error, where: path });
    return 'what' in failure ? failure.what : failure.kind;
  } finally {
    db?.close();
  }
}
