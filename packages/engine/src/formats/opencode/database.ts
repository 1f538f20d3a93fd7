import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '../../errors.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../../json.ts';
import type { Entry } from '../../session/index.ts';
import { isTooDeep } from '../lines/decode.ts';
import type { EmbeddedEntry, EmbeddedSession, ParsedSession } from '../parsed-session.ts';
import { createSkipCounter } from '../skip-counter.ts';
import type { WarningList } from '../warnings.ts';
import { type Stored, taskOf } from './message.ts';
import { entriesOf, headerOf, type OpencodeInfo, parentOf, taskKey } from './read.ts';

/**
 * All sessions of a database of opencode. The main one is that which was talked to last; those of sub-agents belong to
 * the call that started them.
 *
 * @example
 * const reading = readDatabase({ path: 'opencode.db', warnings });
 */
export function readDatabase({
  path,
  warnings,
}: {
  readonly path: string;
  readonly warnings: WarningList;
}): ParsedSession {
  const [main] = using({ path, work: ({ db }) => sessionsOf(db) });
  if (!main) throw empty();
  return {
    format: 'opencode',
    key: main.id,
    header: headerOf(main),
    entries: ({ createdAt }) => allEntries({ path, main: main.id, warnings, startedAt: createdAt }),
  };
}

async function* allEntries({
  path,
  main,
  warnings,
  startedAt,
}: {
  readonly path: string;
  readonly main: string;
  readonly warnings: WarningList;
  readonly startedAt: number;
}): AsyncGenerator<Entry | EmbeddedEntry> {
  const source = opening(() => openSnapshot(path));
  const { db } = source;
  const skips = createSkipCounter({ warnings });
  const calls = new Map<string, { readonly call: string; readonly tasks: Set<string> }>();
  try {
    // One view of it, however long the import takes.
    db.exec('BEGIN');
    const sessions = sessionsOf(db);
    const known = new Set(sessions.map(({ id }) => id));
    for (const info of sessions) {
      const { call, tasks } = calls.get(info.id) ?? {};
      const embedded = embeddedSessionOf({ info, known, call });
      const messages = watched(messagesOf({ db, session: info.id, warnings }));
      const entries = entriesOf({ info, messages, ...(tasks && { tasks }), skips, warnings, startedAt });
      for await (const entry of entries) yield info.id === main ? entry : { embedded, entry };
    }
    source.check();
    skips.report();
    warnUnread({ db, warnings });
  } catch (error) {
    throw unreadable(error);
  } finally {
    source.close();
  }

  /** Notes which calls started which sessions, on the way. */
  function* watched(messages: Iterable<Stored>): Generator<Stored> {
    for (const stored of messages) {
      for (const part of stored.parts) {
        const task = taskOf(part);
        if (!task) continue;
        const entry = calls.get(task.session) ?? { call: task.call, tasks: new Set<string>() };
        if (typeof task.prompt === 'string') entry.tasks.add(taskKey(task.prompt));
        calls.set(task.session, entry);
      }
      yield stored;
    }
  }
}

function embeddedSessionOf(of: {
  readonly info: OpencodeInfo;
  readonly known: ReadonlySet<string>;
  readonly call: string | undefined;
}): EmbeddedSession {
  const parent = parentOf(of.info);
  const owner = parent !== undefined && of.known.has(parent) ? { key: parent } : undefined;
  const { call } = of;
  return {
    key: of.info.id,
    header: headerOf(of.info),
    ...(owner && { owner: { ...owner, ...(call !== undefined && { call }) } }),
  };
}

/** The sessions, the newest first, each before those that work for it. */
function sessionsOf(db: DatabaseSync): OpencodeInfo[] {
  const isUsed = 'EXISTS (SELECT 1 FROM message WHERE session_id = session.id)';
  const rows = db
    .prepare(`SELECT * FROM session ORDER BY ${isUsed} DESC, time_updated DESC, id DESC`)
    .all()
    .map(infoOf);
  const ids = new Set(rows.map(({ id }) => id));
  const children = Map.groupBy(rows, (info) => {
    const parent = parentOf(info);
    return parent !== undefined && ids.has(parent) && parent !== info.id ? parent : undefined;
  });
  const sorted = new Set<OpencodeInfo>();
  const waiting = [...(children.get(undefined) ?? []), ...rows];
  // Sessions whose parents form a cycle come last, as if they had no parent.
  for (let info = waiting.shift(); info; info = waiting.shift()) {
    if (sorted.has(info)) continue;
    sorted.add(info);
    waiting.unshift(...(children.get(info.id) ?? []));
  }
  return [...sorted];
}

/** A row in the words of an export. */
function infoOf(row: Readonly<Record<string, SQLOutputValue>>): OpencodeInfo {
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : undefined);
  return {
    id: String(row.id),
    slug: text('slug'),
    version: text('version'),
    projectID: text('project_id'),
    parentID: text('parent_id'),
    directory: text('directory'),
    title: text('title'),
    revert: jsonOf(row.revert),
    time: { created: typeof row.time_created === 'number' ? row.time_created : undefined },
  };
}

function* messagesOf({
  db,
  session,
  warnings,
}: {
  readonly db: DatabaseSync;
  readonly session: string;
  readonly warnings: WarningList;
}): Generator<Stored> {
  const messages = db.prepare('SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id');
  const parts = db.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
  for (const row of messages.iterate(session)) {
    const info = recordOf(row);
    const rows = parts.all(row.id ?? null).map((part) => ({ part, record: recordOf(part) }));
    for (const { part, record } of [{ part: row, record: info }, ...rows]) {
      if (!record)
        warnings.add({ code: 'bad-row', message: `The row ${String(part.id)} is no JSON object; it was left out.` });
    }
    if (info) yield { info, parts: rows.flatMap(({ record }) => (record ? [record] : [])) };
  }
}

/** Version 2 also fills tables of its own; sessions that exist only there are not read. */
function warnUnread({ db, warnings }: { readonly db: DatabaseSync; readonly warnings: WarningList }): void {
  const table = db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'session_message'").get();
  if (!table) return;
  const isOther = 'session_id NOT IN (SELECT session_id FROM message)';
  const { count } =
    db.prepare(`SELECT count(DISTINCT session_id) AS count FROM session_message WHERE ${isOther}`).get() ?? {};
  if (typeof count !== 'number' || count === 0) return;
  const message = `${count} sessions are only in tables of opencode's newer engine, which are not read; export those.`;
  warnings.add({ code: 'newer-layout', message });
}

/** A row whose facts stand in a column as JSON. */
function recordOf({ id, data }: Readonly<Record<string, SQLOutputValue>>): JsonObject | undefined {
  const value = jsonOf(data);
  return isObject(value) ? { ...value, id: String(id) } : undefined;
}

function jsonOf(data: SQLOutputValue | undefined): Json | undefined {
  const value = typeof data === 'string' ? parseJson(data) : undefined;
  return isTooDeep(value) ? undefined : value;
}

function using<T>({ path, work }: { readonly path: string; readonly work: (source: DatabaseSnapshot) => T }): T {
  const source = opening(() => openSnapshot(path));
  try {
    return work(source);
  } catch (error) {
    throw unreadable(error);
  } finally {
    source.close();
  }
}

function opening(open: () => DatabaseSnapshot): DatabaseSnapshot {
  try {
    return open();
  } catch (error) {
    throw unreadable(error);
  }
}

/** The words of SQLite in ours. */
function unreadable(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return error;
  if (/no such (table|column)/.test(error.message)) return otherLayout(error);
  return new LonghaulError({
    code: 'cannot-read-database',
    message: `SQLite cannot read it: ${error.message}.`,
    hint: 'See whether opencode itself can open it, and try again.',
    cause: error,
  });
}

function otherLayout(error: Error): LonghaulError {
  return new LonghaulError({
    code: 'not-a-session',
    message: `This database is not laid out as those of opencode: ${error.message}.`,
    hint: 'Give the opencode.db of version 1.2 or newer, or what `opencode export` writes.',
    cause: error,
  });
}

function empty(): LonghaulError {
  return new LonghaulError({
    code: 'no-sessions',
    message: 'This database of opencode has no sessions.',
    hint: 'See whether it is the one that opencode uses now.',
  });
}

/** A database of another program, open for reading. */
interface DatabaseSnapshot {
  readonly db: DatabaseSync;
  /** Throws where what was read may be of two states of the file. */
  readonly check: () => void;
  readonly close: () => void;
}

/**
 * Opens a database without changing any file in its folder. SQLite creates files next to a database in WAL mode even for
 * readers, and leaves them there. Therefore: a database that another program has open is read with its existing WAL; one
 * with a WAL left by a crash is read from a copy; one without a WAL is opened as immutable, and checked for changes
 * afterwards.
 *
 * @example
 * const { db, close } = openSource('/home/me/.local/share/opencode/opencode.db');
 */
export function openSnapshot(path: string): DatabaseSnapshot {
  if (sizeOf(`${path}-wal`) === 0) return openStill(path);
  if (sizeOf(`${path}-shm`) > 0) return { ...opened(path), check: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-opencode-'));
  try {
    const copy = join(folder, basename(path));
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${copy}${end}`);
    const { db, close } = opened(copy);
    return {
      db,
      check: () => {},
      close() {
        close();
        rmSync(folder, { recursive: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

function openStill(path: string): DatabaseSnapshot {
  const before = stampOf(path);
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return {
    ...opened(url),
    check() {
      if (stampOf(path) !== before) throw changed();
    },
  };
}

function opened(where: string | URL): Omit<DatabaseSnapshot, 'check'> {
  // Loaded on demand, so that importing other formats does not load SQLite in this thread.
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(where, { readOnly: true, timeout: 10_000 });
  return { db, close: () => db.close() };
}

function stampOf(path: string): string {
  const { size, mtimeMs } = statSync(path);
  return `${size} ${mtimeMs}`;
}

/** 0 for a file that is not there. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function changed(): LonghaulError {
  return new LonghaulError({
    code: 'changed-while-read',
    message: 'The database was written to while it was read.',
    hint: 'Try again; nothing was stored.',
  });
}
