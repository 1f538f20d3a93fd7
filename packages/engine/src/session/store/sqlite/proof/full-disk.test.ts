import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFiles, type StoreFiles } from '../files.ts';
import { directCall, temporaryFolder } from '../fixtures.ts';
import { layoutOf } from '../layout.ts';
import { SqliteStore } from '../store.ts';
import { StoreWorker } from '../store-worker.ts';
import { appendOf, begin, countExact, session } from './log.ts';

/** SQLite follows no link in the place of its shared-memory file: it fails as it does on a full disk. */
describe('a disk on which SQLite cannot make its files', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
    const worker = new StoreWorker({ dir: folder.dir });
    begin(worker);
    worker.run('append', appendOf({ after: 0, count: 10 }));
    worker.run('list', {});
    worker.run('close', {});
  });
  afterEach(() => folder.remove());
  const block = (dir: string): string[] => {
    const layout = layoutOf(dir);
    const paths = [layout.session(session).log, layout.catalog, layout.index].map((path) => `${path}-shm`);
    for (const path of paths) {
      rmSync(path, { force: true });
      symlinkSync('nowhere', path);
    }
    return paths;
  };

  it('failed every command that only reads: they now list, read and search', () => {
    block(folder.dir);
    const worker = new StoreWorker({ dir: folder.dir });
    expect(worker.run('list', {})).toMatchObject([{ header: { id: session }, count: 10 }]);
    expect(countExact(worker)).toBe(10);
    expect(worker.run('search', { text: 'entry', limit: 50 })).toHaveLength(10);
    worker.run('close', {});
  });

  it('hid what was committed to the write-ahead log and not yet moved into the file', () => {
    const worker = new StoreWorker({ dir: folder.dir });
    worker.run('append', appendOf({ after: 10, count: 5 }));
    const copy = join(folder.dir, 'copy');
    // As a killed process leaves it: a write-ahead log with entries, and no shared memory.
    cpSync(join(folder.dir, 'sessions'), join(copy, 'sessions'), { recursive: true });
    worker.run('close', {});
    expect(existsSync(`${layoutOf(copy).session(session).log}-wal`)).toBe(true);
    block(copy);
    const reader = new StoreWorker({ dir: copy });
    expect(countExact(reader)).toBe(15);
    expect(reader.run('list', {})).toMatchObject([{ count: 15 }]);
    reader.run('close', {});
  });

  it('refuses an append with a typed error, and takes it as soon as there is room again', async () => {
    const blocked = block(folder.dir);
    const store = new SqliteStore({ dir: folder.dir, call: directCall({ dir: folder.dir }) });
    expect(await store.read({ session, query: { after: 0 } })).toHaveLength(10);
    const worker = new StoreWorker({ dir: folder.dir });
    expect(worker.appendAll([appendOf({ after: 10, count: 1 })])).toMatchObject([{ failure: { kind: 'write' } }]);
    for (const path of blocked) rmSync(path);
    expect(worker.appendAll([appendOf({ after: 10, count: 1 })])).toMatchObject([{ value: { last: 11 } }]);
    expect(await store.read({ session, query: { after: 0 } })).toHaveLength(11);
    worker.run('close', {});
    await store.close();
  });

  it('could not delete a session, although that makes room', () => {
    block(folder.dir);
    const layout = layoutOf(folder.dir);
    const worker = new StoreWorker({ dir: folder.dir });
    worker.run('delete', { session });
    expect(existsSync(layout.session(session).folder)).toBe(false);
    // What names the session goes too, although it could not be rewritten.
    expect(existsSync(layout.catalog)).toBe(false);
    expect(worker.run('list', {})).toEqual([]);
    worker.run('close', {});
  });

  it('says in one sentence that a session on a read-only disk was not deleted, and leaves it whole', async () => {
    const files: StoreFiles = {
      ...createFiles(),
      rename: () => {
        throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
      },
    };
    block(folder.dir);
    const store = new SqliteStore({ dir: folder.dir, call: directCall({ dir: folder.dir, files }) });
    await expect(store.delete(session)).rejects.toMatchObject({
      code: 'store-write-failed',
      message: `Session ${session} was not deleted: the file system is read-only.`,
    });
    expect(await store.read({ session, query: { after: 0 } })).toHaveLength(10);
    await store.close();
  });
});
