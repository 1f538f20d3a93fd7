import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { user } from 'longhaul/message';
import { type Entry, openSqliteStore } from 'longhaul/session';
import { idAt } from './log.ts';

const text = 'x'.repeat(1000);

function entryAt(handle: number): Entry {
  return {
    v: 1,
    id: idAt(handle),
    parentId: handle === 1 ? null : idAt(handle - 1),
    handle,
    at: handle,
    epoch: null,
    type: 'message',
    message: user(text),
  };
}

/** Entries a second, each durable when counted, for one writer and for many at once. */
export async function appendRates({ dir, writers }: { readonly dir: string; readonly writers: number }) {
  const ours = await createOurs({ dir: join(dir, `ours-${writers}`), writers });
  const bare = createBare({ path: join(dir, `bare-${writers}.sqlite`), batch: writers });
  const disk = createDisk(join(dir, `disk-${writers}`));
  const samples = { ours: [] as number[], bare: [] as number[], disk: [] as number[] };
  // In turn, so that what else the disk does hits all alike.
  for (let round = 0; round < rounds; round += 1) {
    samples.bare.push(await rate(() => bare.append(commits)));
    samples.ours.push(await rate(() => ours.append(commits * writers)));
    samples.disk.push(await rate(() => disk.sync(commits)));
  }
  await ours.close();
  bare.close();
  disk.close();
  // Round by round, since the disk is not as quick in one as in another.
  const ratio = median(samples.ours.map((ours, round) => ours / (samples.bare[round] ?? ours)));
  return { ours: median(samples.ours), bare: median(samples.bare), syncs: median(samples.disk), ratio };
}

export const rounds = 15;
const commits = 80;

async function createOurs({ dir, writers }: { dir: string; writers: number }) {
  const store = await openSqliteStore({ dir });
  await store.create({ header: { v: 1, id: 'bench', createdAt: 0 } });
  let last = 0;
  return {
    async append(count: number): Promise<number> {
      const end = last + count;
      const writer = async (): Promise<void> => {
        while (last < end) {
          last += 1;
          const entry = entryAt(last);
          await store.append({ session: 'bench', expect: last - 1, entries: [entry], leaf: entry.id, epoch: null });
        }
      };
      await Promise.all(Array.from({ length: writers }, writer));
      return count;
    },
    close: () => store.close(),
  };
}

/** What node:sqlite does on its own with the same settings: a row an entry, nothing else. */
function createBare({ path, batch }: { path: string; batch: number }) {
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE entries (handle INTEGER PRIMARY KEY, id TEXT UNIQUE, body TEXT)',
  );
  const insert = db.prepare('INSERT INTO entries VALUES (?, ?, ?)');
  let last = 0;
  return {
    append(count: number): number {
      for (let commit = 0; commit < count; commit += 1) {
        db.exec('BEGIN IMMEDIATE');
        for (let row = 0; row < batch; row += 1) {
          last += 1;
          insert.run(last, idAt(last), JSON.stringify(entryAt(last)));
        }
        db.exec('COMMIT');
      }
      return count * batch;
    },
    close: () => db.close(),
  };
}

function createDisk(path: string) {
  const file = openSync(path, 'w');
  const bytes = Buffer.alloc(4096, 1);
  return {
    sync(count: number): number {
      for (let turn = 0; turn < count; turn += 1) {
        writeSync(file, bytes);
        fdatasyncSync(file);
      }
      return count;
    },
    close: () => closeSync(file),
  };
}

async function rate(work: () => number | Promise<number>): Promise<number> {
  const started = performance.now();
  const count = await work();
  return (count / (performance.now() - started)) * 1000;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
