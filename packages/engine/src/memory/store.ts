import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LonghaulError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { openDatabase, transaction } from '../session/internal.ts';
import {
  type BoardChange,
  type BoardLimits,
  type BoardState,
  byUse,
  changesBetween,
  defaultLimits,
  settle,
} from './board.ts';
import type { MemoryEntry } from './entry.ts';
import { readBoard, writeBoard } from './markdown.ts';

/** What a session got from the board, and how far it was consolidated. */
export interface MemorySession {
  /** The newest handle that was consolidated. */
  readonly last: number;
  /** Ids of the entries it got. */
  readonly delivered: readonly string[];
}

/** The memory of one repository. Every change is one transaction; changes of several processes are serialized. */
export interface Memory {
  readonly repository: string;
  /** The entries on the board, the most useful first. */
  list(): MemoryEntry[];
  /** Board and archive. */
  read(): BoardState;
  /** Applies a change and brings the board within its bounds. With `isDry`, only the difference is computed. */
  change(input: {
    readonly work: (state: BoardState) => BoardState;
    readonly isDry?: boolean;
    /** Recorded in the same transaction. */
    readonly sessions?: Readonly<Record<string, Partial<MemorySession>>>;
  }): BoardChange;
  session(id: string): MemorySession;
  close(): void;
}

const schema = {
  version: 1,
  sql: `
    CREATE TABLE entries (
      repository TEXT NOT NULL, id TEXT NOT NULL, active INTEGER NOT NULL, data TEXT NOT NULL,
      PRIMARY KEY (repository, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX active_entries ON entries (repository) WHERE active = 1;
    CREATE TABLE removed (repository TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (repository, id)) STRICT, WITHOUT ROWID;
    CREATE TABLE sessions (
      repository TEXT NOT NULL, session TEXT NOT NULL, last INTEGER NOT NULL, delivered TEXT NOT NULL,
      PRIMARY KEY (repository, session)
    ) STRICT, WITHOUT ROWID;
  `,
} as const;

/**
 * Opens the memory of a repository in the folder of a store. With `file`, the board is kept in that Markdown file instead,
 * and the folder only serializes access to it.
 *
 * @example
 * const memory = openMemory({ dir: '.longhaul', repository: '/home/me/project' });
 * for (const { kind, text } of memory.list()) console.log(kind, text);
 * memory.close();
 */
export function openMemory({
  dir,
  repository,
  file,
  limits = defaultLimits,
}: {
  /** The folder of the store; without it, memory ends with the process. */
  readonly dir?: string;
  /** Identifies the repository; see `repositoryOf`. */
  readonly repository: string;
  /** A Markdown file of the project, absolute. */
  readonly file?: string;
  readonly limits?: BoardLimits;
}): Memory {
  if (dir !== undefined) mkdirSync(dir, { recursive: true, mode: 0o700 });
  const db = openDatabase({ path: join(dir ?? '', 'memory.sqlite'), schema, inMemory: dir === undefined });
  const storage = file === undefined ? databaseStorage() : fileStorage(file);
  return {
    repository,
    list: () => storage.active().toSorted(byUse),
    read: () => storage.read(),
    change({ work, isDry = false, sessions = {} }) {
      const apply = () => {
        const before = storage.read();
        const after = settle({ state: work(before), limits });
        return { before, after, change: changesBetween({ before, after }) };
      };
      if (isDry) return apply().change;
      const { change, hasRemoved } = transaction(db, () => {
        const done = apply();
        storage.write(done);
        for (const [session, facts] of Object.entries(sessions)) record({ session, facts });
        return { change: done.change, hasRemoved: done.after.removed.length > done.before.removed.length };
      });
      // What was removed must not stay in the write-ahead log.
      if (hasRemoved) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return change;
    },
    session: sessionOf,
    close: () => db.close(),
  };

  function sessionOf(session: string): MemorySession {
    const row = db
      .prepare('SELECT last, delivered FROM sessions WHERE repository = ? AND session = ?')
      .get(repository, session);
    const delivered = parseJson(String(row?.delivered ?? '[]'));
    return {
      last: Number(row?.last ?? 0),
      delivered: Array.isArray(delivered) ? delivered.filter((id): id is string => typeof id === 'string') : [],
    };
  }

  function record({ session, facts }: { readonly session: string; readonly facts: Partial<MemorySession> }): void {
    const { last, delivered } = { ...sessionOf(session), ...facts };
    db.prepare('INSERT OR REPLACE INTO sessions (repository, session, last, delivered) VALUES (?, ?, ?, ?)').run(
      repository,
      session,
      last,
      JSON.stringify(delivered),
    );
  }

  function databaseStorage(): Storage {
    const entries = (where: string) =>
      db
        .prepare(`SELECT data FROM entries WHERE repository = ?${where}`)
        .all(repository)
        .flatMap(({ data }) => (parseJson(String(data)) as unknown as MemoryEntry | undefined) ?? []);
    return {
      active: () => entries(' AND active = 1'),
      read: () => ({
        entries: entries(''),
        removed: db
          .prepare('SELECT id FROM removed WHERE repository = ?')
          .all(repository)
          .map(({ id }) => String(id)),
      }),
      write({ before, after }) {
        const known = new Map(before.entries.map((entry) => [entry.id, JSON.stringify(entry)]));
        const put = db.prepare('INSERT OR REPLACE INTO entries (repository, id, active, data) VALUES (?, ?, ?, ?)');
        for (const entry of after.entries) {
          const data = JSON.stringify(entry);
          if (known.get(entry.id) !== data) put.run(repository, entry.id, entry.archived ? 0 : 1, data);
          known.delete(entry.id);
        }
        const drop = db.prepare('DELETE FROM entries WHERE repository = ? AND id = ?');
        for (const id of known.keys()) drop.run(repository, id);
        const kept = new Set(after.removed);
        const forget = db.prepare('DELETE FROM removed WHERE repository = ? AND id = ?');
        for (const id of before.removed) if (!kept.has(id)) forget.run(repository, id);
        const add = db.prepare('INSERT OR IGNORE INTO removed (repository, id) VALUES (?, ?)');
        for (const id of kept) add.run(repository, id);
      },
    };
  }
}

interface Storage {
  active(): MemoryEntry[];
  read(): BoardState;
  write(input: { readonly before: BoardState; readonly after: BoardState }): void;
}

function fileStorage(path: string): Storage {
  const read = () => readBoard(textOf(path) ?? '');
  return {
    active: () => read().entries.filter(({ archived }) => !archived),
    read,
    write({ after }) {
      const previous = textOf(path);
      const text = writeBoard({ state: after, ...(previous !== undefined && { previous }) });
      if (text !== previous) writeAtomically({ path, text });
    },
  };
}

/** A larger file is not a board. */
const maxBytes = 16 * 1024 * 1024;

/** Links are refused: a repository could place one that leads to another file of the user. */
function textOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (!found.isFile() || found.size > maxBytes) {
    throw new LonghaulError({
      code: 'memory-file',
      message: `${path} is ${found.isFile() ? 'too large' : 'not a regular file'} and was not read.`,
      hint: 'Replace it by a regular Markdown file, or turn memory.inRepo off.',
    });
  }
  return readFileSync(path, 'utf8');
}

function writeAtomically({ path, text }: { readonly path: string; readonly text: string }): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const file = openSync(temporary, 'wx', 0o644);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
