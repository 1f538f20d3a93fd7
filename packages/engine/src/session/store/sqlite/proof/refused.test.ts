import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DatabaseLimits } from '../database.ts';
import { createFiles, type StoreFiles } from '../files.ts';
import { directCall, temporaryFolder } from '../fixtures.ts';
import { SqliteStore } from '../store.ts';
import { StoreWorker } from '../store-worker.ts';
import { appendOf, begin, countExact, entryAt, idAt, session } from './log.ts';

describe('the disk refuses', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
    const worker = new StoreWorker({ dir: folder.dir });
    begin(worker);
    worker.run('append', appendOf({ after: 0, count: 10 }));
    worker.run('close', {});
  });
  afterEach(() => folder.remove());

  const append = async ({ limits, files }: { limits?: DatabaseLimits; files?: StoreFiles }): Promise<unknown> => {
    const call = directCall({ dir: folder.dir, ...(limits && { limits }), ...(files && { files }) });
    const store = new SqliteStore({ call, dir: folder.dir });
    const entries = Array.from({ length: 20 }, (_, index) => entryAt(11 + index));
    const outcome = await store
      .append({ session, expect: 10, entries, leaf: idAt(30), epoch: null })
      .catch((error: unknown) => error);
    // What was there can still be read by the one that was refused.
    expect(await store.read({ session, query: { after: 0 } })).toHaveLength(10);
    await store.close();
    return outcome;
  };
  const expectNothingLost = (): void => {
    const worker = new StoreWorker({ dir: folder.dir });
    expect(countExact(worker)).toBe(10);
    worker.run('append', appendOf({ after: 10, count: 20 }));
    expect(countExact(worker)).toBe(30);
    expect(worker.run('doctor', {})).toMatchObject({ sound: true });
    worker.run('close', {});
  };

  it('because it is full: a typed error, nothing of the append, everything before it', async () => {
    const outcome = await append({ limits: { maxPages: 16 } });
    expect(outcome).toMatchObject({ code: 'store-write-failed', message: expect.stringContaining('full') });
    expectNothingLost();
  });

  it('because it is read-only', async () => {
    const outcome = await append({ limits: { readOnly: true } });
    expect(outcome).toMatchObject({ code: 'store-write-failed', message: expect.stringContaining('read-only') });
    expectNothingLost();
  });

  it.each([
    ['ENOSPC', 'full'],
    ['EROFS', 'read-only'],
    ['EIO', 'the disk reports an error'],
  ])('a blob with %s', async (code, words) => {
    const files: StoreFiles = {
      ...createFiles(),
      writeSynced() {
        throw Object.assign(new Error(code), { code });
      },
    };
    const outcome = await append({ files });
    expect(outcome).toMatchObject({ code: 'store-write-failed', message: expect.stringContaining(words) });
    expectNothingLost();
  });

  it('the name of a blob to be made durable', async () => {
    const whole = createFiles();
    const files: StoreFiles = {
      ...whole,
      syncFolder(path) {
        if (path.endsWith('blobs')) throw Object.assign(new Error('EIO'), { code: 'EIO' });
        whole.syncFolder(path);
      },
    };
    expect(await append({ files })).toMatchObject({ code: 'store-write-failed' });
    expectNothingLost();
  });
});
