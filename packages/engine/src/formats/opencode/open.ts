import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LonghaulError } from '../../errors.ts';

/** A database of another program, open for reading. */
export interface Source {
  readonly db: DatabaseSync;
  /** Throws where what was read may be of two states of the file. */
  readonly check: () => void;
  readonly close: () => void;
}

/**
 * Opens a database so that nothing beside it changes. SQLite itself makes files beside a database with a write-ahead log
 * even for who only reads, and leaves them. So: one that a program has open is read with the files that are there; one
 * whose log was left behind by a crash is read as a copy; and one without a log as a file that stays as it is, which is
 * made sure of afterwards.
 *
 * @example
 * const { db, close } = openSource('/home/me/.local/share/opencode/opencode.db');
 */
export function openSource(path: string): Source {
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

function openStill(path: string): Source {
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

function opened(where: string | URL): Omit<Source, 'check'> {
  // Not imported: whoever imports anything else need not have SQLite in this thread.
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
    cause: 'The database was written to while it was read.',
    next: 'Try again; nothing was stored.',
  });
}
