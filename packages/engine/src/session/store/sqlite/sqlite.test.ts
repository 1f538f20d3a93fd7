import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lineOf, said, testIds } from '../../fixtures/entries.ts';
import { describeStore } from '../suite.ts';
import { temporaryFolder } from './fixtures.ts';
import { openSqliteStore, type SqliteStore } from './index.ts';
import { layoutOf } from './layout.ts';

const described = ({ name, callsBeforeThread }: { readonly name: string; readonly callsBeforeThread: number }) =>
  describeStore({
    name,
    open: async () => {
      const { dir, remove } = temporaryFolder();
      let store = await openSqliteStore({ dir, callsBeforeThread });
      return {
        store,
        reopen: async () => {
          await store.close();
          store = await openSqliteStore({ dir, callsBeforeThread });
          return store;
        },
        dispose: async () => {
          await store.close();
          remove();
        },
      };
    },
  });
described({ name: 'the store in SQLite', callsBeforeThread: 0 });
described({ name: 'the store in SQLite without a thread', callsBeforeThread: Number.POSITIVE_INFINITY });

describe('the store in SQLite', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let store: SqliteStore;
  beforeEach(async () => {
    folder = temporaryFolder();
    store = await openSqliteStore({ dir: folder.dir });
  });
  afterEach(async () => {
    await store.close().catch(() => {});
    folder.remove();
  });
  const begin = async (texts: readonly string[], id = 's1') => {
    await store.create({ header: { v: 1, id, createdAt: 1 } });
    const entries = lineOf({ drafts: texts.map(said), nextId: testIds(id.length) });
    await store.append({ session: id, expect: 0, entries, leaf: entries.at(-1)?.id ?? null, epoch: null });
    return entries;
  };
  /** Every byte in the folder, in the two encodings a word could be left in. */
  const holds = (word: string): string[] =>
    readdirSync(folder.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).toString('latin1').toLowerCase().includes(word));

  /** All words in the index, also of rows that are only marked as deleted. */
  const indexedWords = (): unknown[] => {
    const db = new DatabaseSync(layoutOf(folder.dir).index);
    db.exec('CREATE VIRTUAL TABLE temp.all_words USING fts5vocab(main, words, row)');
    const words = db.prepare('SELECT term FROM temp.all_words ORDER BY term').all();
    db.close();
    return words.map(({ term }) => term);
  };

  it('leaves no byte of a deleted session in its folder', async () => {
    await begin(['rhubarbcrumble stays nowhere', `gooseberryfool ${'long '.repeat(9000)}`]);
    await begin(['an innocent bystander'], 's2');
    expect(await store.search({ text: 'rhubarbcrumble' })).toHaveLength(1);
    expect(holds('rhubarbcrumble').length).toBeGreaterThan(0);
    expect(holds('gooseberryfool').length).toBeGreaterThan(0);
    await store.delete('s1');
    await store.list();
    expect(holds('rhubarbcrumble')).toEqual([]);
    expect(holds('gooseberryfool')).toEqual([]);
    expect(indexedWords()).toEqual(['an', 'bystander', 'innocent']);
    expect(await store.search({ text: 'bystander' })).toHaveLength(1);
  });

  it('tells a writer in another process that the session was deleted, and does not let it write into nothing', async () => {
    const [entry] = await begin(['a']);
    const other = await openSqliteStore({ dir: folder.dir });
    const { last, leaf } = await other.head('s1');
    await store.delete('s1');
    const entries = lineOf({ drafts: [said('b')], nextId: testIds(50), ...(entry && { after: entry }) });
    await expect(other.append({ session: 's1', expect: last, entries, leaf, epoch: null })).rejects.toMatchObject({
      code: 'session-missing',
    });
    await other.close();
  });

  it('commits together what waits together', async () => {
    await store.create({ header: { v: 1, id: 's1', createdAt: 1 } });
    const entries = lineOf({ drafts: Array.from({ length: 200 }, (_, index) => said(`m${index}`)) });
    await Promise.all(
      entries.map((entry, index) =>
        store.append({ session: 's1', expect: index, entries: [entry], leaf: entry.id, epoch: null }),
      ),
    );
    const wal = readFileSync(`${layoutOf(folder.dir).session('s1').log}-wal`);
    let commits = 0;
    for (let at = 32; at + 4120 <= wal.length; at += 4120) commits += wal.readUInt32BE(at + 4) > 0 ? 1 : 0;
    expect(commits).toBeLessThan(50);
    expect(await store.read({ session: 's1', query: { after: 0 } })).toEqual(entries);
  });

  it('runs with a write-ahead log and full syncs', async () => {
    await begin(['a']);
    const db = new DatabaseSync(layoutOf(folder.dir).session('s1').log);
    expect(db.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    db.close();
  });

  it('lists what another process wrote, made and deleted meanwhile', async () => {
    const other = await openSqliteStore({ dir: folder.dir });
    const [entry] = await begin(['a']);
    expect(await other.list()).toMatchObject([{ count: 1 }]);
    const entries = lineOf({ drafts: [said('b')], nextId: testIds(50), ...(entry && { after: entry }) });
    await store.append({ session: 's1', expect: 1, entries, leaf: entries[0]?.id ?? null, epoch: null });
    expect(await other.list()).toMatchObject([{ count: 2 }]);
    expect(await other.search({ text: 'b' })).toHaveLength(1);
    await store.delete('s1');
    expect(await other.list()).toEqual([]);
    await other.close();
  });

  it('keeps a session whose id is no name for a file', async () => {
    for (const id of ['../up', 'UPPER', 'upper', 'ä/ö', 'x'.repeat(300), '.', '']) await begin([`in ${id}`], id);
    expect((await store.list()).map(({ header }) => header.id).sort()).toEqual(
      ['../up', 'UPPER', 'upper', 'ä/ö', 'x'.repeat(300), '.', ''].sort(),
    );
    expect(await store.read({ session: 'UPPER', query: { after: 0 } })).toHaveLength(1);
  });

  it('finds words in scripts without spaces, words with accents, paths and beginnings of words', async () => {
    await begin([
      '関数を修正してください',
      'Der Überlauf im Café',
      'see src/session/store.ts:40',
      'compactions happened',
    ]);
    const found = async (text: string) => (await store.search({ text })).map(({ handle }) => handle);
    expect(await found('修正')).toEqual([1]);
    expect(await found('uberlauf cafe')).toEqual([2]);
    expect(await found('session/store.ts')).toEqual([3]);
    expect(await found('compact')).toEqual([4]);
  });

  it('reads a session larger than one reply', async () => {
    const entries = await begin(Array.from({ length: 12 }, (_, index) => `${index} ${'x'.repeat(1_500_000)}`));
    expect(await store.read({ session: 's1', query: { after: 0 } })).toEqual(entries);
    expect(await store.read({ session: 's1', query: { ids: entries.map(({ id }) => id) } })).toEqual(entries);
    expect(await store.read({ session: 's1', query: { epoch: null } })).toEqual(entries);
    expect(await store.read({ session: 's1', query: { after: 2, limit: 9 } })).toEqual(entries.slice(2, 11));
  });

  it.each([2, 3, 4])('keeps what was appended when its thread takes over after %i calls', async (callsBeforeThread) => {
    await store.close();
    store = await openSqliteStore({ dir: folder.dir, callsBeforeThread });
    const [first, second] = await begin(['plum', 'pear']);
    expect((await store.search({ text: 'pear' })).map(({ handle }) => handle)).toEqual([second?.handle]);
    const [third] = lineOf({ drafts: [said('fig')], nextId: testIds(7), ...(second && { after: second }) });
    if (third) await store.append({ session: 's1', expect: 2, entries: [third], leaf: third.id, epoch: null });
    const read = await store.read({ session: 's1', query: { after: 0, limit: 10 } });
    expect(read.map(({ id }) => id)).toEqual([first?.id, second?.id, third?.id]);
  });

  it('says that it is closed', async () => {
    await store.close();
    await expect(store.list()).rejects.toMatchObject({ code: 'store-closed' });
  });

  it('says that a value is nested too deeply to be written', async () => {
    await store.create({ header: { v: 1, id: 's1', createdAt: 1 } });
    let data: unknown = 1;
    for (let depth = 0; depth < 200_000; depth += 1) data = [data];
    const [entry] = lineOf({ drafts: [{ type: 'custom', customType: 'x', data: data as never }] });
    const entries = entry ? [entry] : [];
    await expect(store.append({ session: 's1', expect: 0, entries, leaf: null, epoch: null })).rejects.toMatchObject({
      code: 'entry-too-deep',
    });
  });
});
