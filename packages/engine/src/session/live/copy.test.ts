import { describe, expect, it } from 'vitest';
import { answered, said } from '../fixtures/entries.ts';
import { begin, texts } from '../fixtures/sessions.ts';
import { StoreWriteError } from '../store/errors.ts';
import { createMemoryStore } from '../store/memory.ts';
import { openSession } from './live-session.ts';

const compaction = { tokensBefore: 9, trigger: 'manual' };

describe('a fork', () => {
  it('has everything on every branch under the same ids and handles, and says where it comes from', async () => {
    const { session, store } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b')]);
    await session.move({ to: a?.id ?? null });
    const c = await session.append(said('c'));
    const fork = await session.fork({ name: 'try' });
    expect(await fork.read({ after: 0 })).toEqual(await session.read({ after: 0 }));
    expect(fork.header).toMatchObject({
      name: 'try',
      parent: { session: 's', entry: c.id },
      details: { copied: { last: 4 } },
    });
    expect(texts(fork)).toEqual(['a', 'c']);
    const d = await fork.append(said('d'));
    expect(d.handle).toBe(5);
    expect(session.head.last).toBe(4);
    expect(texts(await session.fork({ at: b?.id ?? null }))).toEqual(['a', 'b']);
    await expect(session.fork({ at: 'nobody' })).rejects.toMatchObject({ code: 'entry-missing' });
    expect(await store.list()).toHaveLength(3);
  });

  it('keeps the compaction in force (pi #8990: forks lost the boundary)', async () => {
    const { session } = await begin();
    const [, b] = await session.appendBatch([said('a'), answered('b')]);
    await session.compact({ summary: 'S', firstKeptId: b?.id ?? null, ...compaction });
    await session.append(said('c'));
    for (const copy of [await session.fork(), await session.clone()]) {
      expect(texts(copy)).toEqual([expect.stringContaining('S'), 'b', 'c']);
      await copy.undo();
      expect(texts(copy)).toEqual(['a', 'b', 'c']);
    }
  });

  it('of a path to an earlier place sends what was sent there', async () => {
    const { session } = await begin();
    const [, b] = await session.appendBatch([said('a'), answered('b')]);
    const { epoch } = await session.compact({ summary: 'S', firstKeptId: b?.id ?? null, ...compaction });
    await session.append(said('c'));
    const before = await session.clone({ at: b?.id ?? null });
    expect(texts(before)).toEqual(['a', 'b']);
    expect(before.head.epoch).toBeNull();
    const after = await session.clone({ at: epoch.id });
    expect(texts(after)).toEqual([expect.stringContaining('S'), 'b']);
    expect(after.header.parent).toEqual({ session: 's', entry: epoch.id });
    await after.append(said('d'));
    expect(texts(session)).toEqual([expect.stringContaining('S'), 'b', 'c']);
  });

  it('that fails leaves nothing behind (pi #7707: a fork was not atomic)', async () => {
    const memory = createMemoryStore();
    const store = {
      ...memory,
      append: async (input: Parameters<typeof memory.append>[0]) => {
        if (input.session !== 's') throw new StoreWriteError({ why: 'the disk is full' });
        return memory.append(input);
      },
    };
    const { session } = await begin({ store });
    await session.append(said('a'));
    await expect(session.fork()).rejects.toMatchObject({ code: 'store-write-failed' });
    await expect(session.clone()).rejects.toMatchObject({ code: 'store-write-failed' });
    expect((await store.list()).map(({ header }) => header.id)).toEqual(['s']);
  });

  it('of thousands of entries with moves has the leaf of the original', async () => {
    const { session } = await begin();
    const first = await session.appendBatch(Array.from({ length: 2500 }, (_, n) => said(`${n}`)));
    await session.compact({ summary: 'S', firstKeptId: null, ...compaction });
    await session.move({ to: first[10]?.id ?? null });
    await session.appendBatch(Array.from({ length: 2500 }, (_, n) => said(`${n}`)));
    const fork = await session.fork();
    expect(fork.head).toEqual(session.head);
    expect(fork.context.items).toHaveLength(2511);
  });

  it('is in the epoch that the last move led to, many pages back', async () => {
    const { session } = await begin();
    await session.append(said('a'));
    const { epoch } = await session.compact({ summary: 'S', firstKeptId: null, ...compaction });
    await session.appendBatch(Array.from({ length: 2500 }, (_, n) => said(`${n}`)));
    await session.compact({ summary: 'T', firstKeptId: null, ...compaction });
    await session.move({ to: epoch.id });
    const fork = await session.fork();
    expect(fork.head).toEqual(session.head);
    expect(fork.head.epoch).toBe(epoch.id);
  });

  it('of a session in which nothing was said is empty', async () => {
    const { session } = await begin();
    for (const copy of [await session.fork(), await session.clone()]) {
      expect(copy.head).toEqual(session.head);
      await copy.append(said('a'));
    }
  });
});

describe('a clone', () => {
  it('has the path only, with its labels and names, and keeps handles', async () => {
    const { session, store } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b')]);
    await session.label({ target: a?.id ?? '', label: 'start' });
    await session.label({ target: b?.id ?? '', label: 'dead end' });
    await session.append({ type: 'session_info', info: { name: 'mine' } });
    await session.move({ to: a?.id ?? null });
    const c = await session.append(said('c'));
    const clone = await session.clone();
    const log = await clone.read({ after: 0 });
    expect(log.map(({ handle, type }) => [handle, type])).toEqual([
      [1, 'message'],
      [3, 'label'],
      [5, 'session_info'],
      [7, 'message'],
    ]);
    expect(clone.head).toEqual({ last: 7, count: 4, leaf: c.id, epoch: null });
    // Notes that were taken on what was left out hang on the nearest that is there.
    expect(log[1]?.parentId).toBe(a?.id);
    expect((await clone.tree()).problems).toEqual([]);
    expect(texts(await openSession({ store, id: clone.id }))).toEqual(['a', 'c']);
    expect((await clone.append(said('d'))).handle).toBe(8);
    expect((await clone.recall({ handle: '@7' })).text).toBe('c');
  });

  it('has the messages around a label (pi: context fell from 4 messages to 2)', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    await session.label({ target: a.id, label: 'x' });
    await session.appendBatch([answered('b'), said('c'), answered('d')]);
    expect(texts(await session.clone())).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has what its epochs send from elsewhere in the tree', async () => {
    const { session } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b')]);
    await session.move({ to: a?.id ?? null });
    const list = [{ entry: b?.id ?? '' }, { entry: a?.id ?? '' }];
    await session.append({ type: 'epoch', reason: 'head', items: { list }, codec: 1 });
    const clone = await session.clone();
    expect(texts(clone)).toEqual(['b', 'a']);
    expect((await clone.tree()).problems).toEqual([]);
  });

  it('has what its epochs restore from elsewhere in the tree', async () => {
    const { session } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b'), said('c')]);
    await session.move({ to: a?.id ?? null });
    const restore = { node: b?.id ?? null, after: a?.id ?? '' };
    await session.append({ type: 'epoch', reason: 'other', items: { restore }, codec: 1 });
    const clone = await session.clone();
    expect(texts(clone)).toEqual(['a', 'b']);
    expect((await clone.tree()).problems).toEqual([]);
  });
});
