import { describe, expect, it } from 'vitest';
import type { Message } from '../message/index.ts';
import { answered, said } from './fixtures/entries.ts';
import { begin, changed, texts } from './fixtures/sessions.ts';
import { openSession } from './live/live-session.ts';
import { createMemoryStore } from './store/memory.ts';

const summaryOf = (text: string) => expect.stringContaining(`<summary>\n${text}\n</summary>`);

describe('appending', () => {
  it('chains nodes, and notes change neither the leaf nor what is sent', async () => {
    const { session } = await begin();
    const first = await session.append(said('a'));
    const note = await session.append({ type: 'session_info', info: { name: 'x' } });
    const second = await session.append(answered('b'));
    expect([first.handle, note.handle, second.handle]).toEqual([1, 2, 3]);
    expect([first.parentId, note.parentId, second.parentId]).toEqual([null, first.id, first.id]);
    expect(session.head).toEqual({ last: 3, count: 3, leaf: second.id, epoch: null });
    expect(texts(session)).toEqual(['a', 'b']);
  });

  it('carries the epoch on every entry, the epoch entry its own', async () => {
    const { session } = await begin();
    await session.append(said('a'));
    const { compaction, epoch } = await session.compact({
      summary: 'S',
      firstKeptId: null,
      tokensBefore: 1,
      trigger: 'x',
    });
    const later = await session.append(said('b'));
    const note = await session.append({ type: 'custom', customType: 'x' });
    expect([compaction.epoch, epoch.epoch, later.epoch, note.epoch]).toEqual([null, epoch.id, epoch.id, epoch.id]);
    expect(epoch.parentId).toBe(compaction.id);
  });

  it('keeps overlapping calls in the order in which they were made', async () => {
    const { session } = await begin();
    const entries = await Promise.all(Array.from({ length: 20 }, (_, n) => session.append(said(`${n}`))));
    expect(entries.map(({ handle }) => handle)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
    expect(entries.every((entry, n) => entry.parentId === (entries[n - 1]?.id ?? null))).toBe(true);
    const [, moved, after] = await Promise.all([
      session.append(said('x')),
      session.move({ to: entries[0]?.id ?? null }),
      session.append(said('y')),
    ]);
    expect(moved.abandoned).toHaveLength(20);
    expect(after.parentId).toBe(entries[0]?.id);
  });

  it('refuses what is no entry, says why, and goes on', async () => {
    const { session } = await begin();
    const cyclic: { self?: unknown } = {};
    cyclic.self = cyclic;
    for (const bad of [
      { type: 'label' },
      { type: 'hologram' },
      { type: 'custom', customType: 'x', data: cyclic },
      { type: 'custom', customType: 'x', data: 1n },
    ]) {
      await expect(session.append(bad as never)).rejects.toMatchObject({ code: 'invalid-entry' });
    }
    await expect(session.appendBatch([said('a'), { type: 'label' } as never])).rejects.toMatchObject({
      code: 'invalid-entry',
    });
    expect(session.head.last).toBe(0);
    await session.append(said('b'));
    expect(texts(session)).toEqual(['b']);
  });

  it('refuses an epoch or a move that names what is not there, so that the log can always be replayed', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    const note = await session.append({ type: 'custom', customType: 'x' });
    const epoch = (items: object) => session.append({ type: 'epoch', reason: 'x', items, codec: 1 } as never);
    await expect(epoch({ list: [{ entry: 'gone' }] })).rejects.toMatchObject({ code: 'invalid-entry' });
    await expect(epoch({ list: [{ entry: note.id }] })).rejects.toMatchObject({ code: 'invalid-entry' });
    await expect(epoch({ restore: { node: null, after: 'gone' } })).rejects.toMatchObject({ code: 'invalid-entry' });
    await expect(session.append({ type: 'leaf', target: 'gone', reason: 'move' })).rejects.toMatchObject({
      code: 'invalid-entry',
    });
    expect(session.head).toMatchObject({ last: 2, leaf: a.id });
  });

  it('holds what was said, not the object that said it', async () => {
    const { session, store } = await begin();
    const message = { role: 'user', parts: [{ type: 'text', origin: 'human', text: 'said' }] };
    await session.append({ type: 'message', message: message as Message });
    message.parts[0] = { type: 'text', origin: 'human', text: 'changed' };
    expect(texts(session)).toEqual(['said']);
    expect(texts(await openSession({ store, id: 's' }))).toEqual(['said']);
  });
});

describe('a key', () => {
  it('makes the same append the same entry: at once, overlapping, after a restart and an epoch later', async () => {
    const { session, store } = await begin();
    const turn = { ...said('a'), key: 'turn-1' };
    const [one, two] = await Promise.all([session.append(turn), session.append(turn)]);
    expect(two).toEqual(one);
    await session.append(answered('b'));
    await session.compact({ summary: 'S', firstKeptId: null, tokensBefore: 1, trigger: 'x' });
    const opened = await openSession({ store, id: 's' });
    expect(await opened.append({ ...said('rendered anew'), key: 'turn-1' })).toEqual(one);
    expect(opened.head.last).toBe(4);
  });

  it('makes a batch the same batch', async () => {
    const { session } = await begin();
    await session.append(said('before'));
    const batch = [said('a'), { ...said('b'), key: 'k' }, { type: 'custom', customType: 'x' } as const];
    const first = await session.appendBatch(batch);
    expect(await session.appendBatch(batch)).toEqual(first);
    const [three, four] = await Promise.all([
      session.appendBatch(batch.map((d) => ('key' in d ? { ...d, key: 'l' } : d))),
      session.appendBatch(batch.map((d) => ('key' in d ? { ...d, key: 'l' } : d))),
    ]);
    expect(four).toEqual(three);
    expect(session.head.last).toBe(7);
    await expect(session.appendBatch([{ ...said('b'), key: 'k' }, said('other')])).rejects.toMatchObject({
      code: 'key-reused',
    });
  });
});

describe('moving', () => {
  it('leads elsewhere, reports what it abandons, and new entries follow there', async () => {
    const { session } = await begin();
    const [a, b, c] = [
      await session.append(said('a')),
      await session.append(answered('b')),
      await session.append(said('c')),
    ];
    const moved = await session.move({ to: a.id });
    expect(moved.abandoned).toEqual([b, c]);
    expect(moved.entry).toMatchObject({ type: 'leaf', target: a.id, parentId: c.id });
    const d = await session.append(answered('d'));
    expect(d.parentId).toBe(a.id);
    expect(texts(session)).toEqual(['a', 'd']);
    expect(await session.compare({ to: c.id })).toMatchObject({ ancestor: a.id, abandoned: [d], gained: [b, c] });
  });

  it('is remembered without a later append (pi forgot it on restart)', async () => {
    const { session, store } = await begin();
    const a = await session.append(said('a'));
    await session.append(said('b'));
    await session.move({ to: a.id });
    expect(texts(await openSession({ store, id: 's' }))).toEqual(['a']);
  });

  it('to before the first node makes another root', async () => {
    const { session } = await begin();
    await session.append(said('a'));
    await session.move({ to: null });
    expect(texts(session)).toEqual([]);
    const b = await session.append(said('b'));
    expect(b.parentId).toBeNull();
    expect((await session.tree()).roots).toHaveLength(2);
    expect(texts(session)).toEqual(['b']);
  });

  it('to the current position does nothing', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    expect(await session.move({ to: a.id })).toEqual({ entry: undefined, summary: undefined, abandoned: [] });
    expect(session.head.last).toBe(1);
  });

  it('with a summary tells it at the target, and names the leaf that was left (pi recorded the destination)', async () => {
    const { session } = await begin();
    const [a, b] = [await session.append(said('a')), await session.append(answered('b'))];
    const { summary } = await session.move({ to: a.id, summary: { text: 'we tried b' } });
    expect(summary).toMatchObject({ parentId: a.id, fromId: b.id, summary: 'we tried b' });
    expect(texts(session)).toEqual(['a', summaryOf('we tried b')]);
    expect(session.context.items[1]?.message).toMatchObject({ role: 'user', parts: [{ origin: 'engine' }] });
  });

  it('names the summary, or the place where there is none, in the same write', async () => {
    const { session } = await begin();
    const [a] = [await session.append(said('a')), await session.append(answered('b'))];
    const { summary } = await session.move({ to: a.id, summary: { text: 'we tried b' }, label: 'b failed' });
    await session.move({ to: a.id, label: 'start' });
    const labels = await session.read({ types: ['label'] });
    expect(labels).toMatchObject([
      { target: summary?.id, label: 'b failed' },
      { target: a.id, label: 'start' },
    ]);
    await session.move({ to: null, label: 'nowhere' });
    expect(await session.read({ types: ['label'] })).toHaveLength(2);
  });

  it('that was planned at an outdated position is rejected, and writes nothing', async () => {
    const { session } = await begin();
    const [a, b] = [await session.append(said('a')), await session.append(answered('b'))];
    const late = session.append(answered('c'));
    const planned = session.move({ to: a.id, planned: { from: b.id } });
    await expect(planned).rejects.toMatchObject({ code: 'context-moved' });
    expect(session.head.leaf).toBe((await late).id);
    const { last } = session.head;
    await session.move({ to: a.id, planned: { from: session.head.leaf } });
    expect(session.head).toMatchObject({ leaf: a.id, last: last + 1 });
  });

  it('to what is not there or is a note is refused and moves nothing', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    const { id } = await session.label({ target: a.id, label: 'x' });
    await expect(session.move({ to: 'nobody' })).rejects.toMatchObject({ code: 'entry-missing' });
    await expect(session.move({ to: id })).rejects.toMatchObject({ code: 'not-a-node' });
    await expect(session.contextAt({ leaf: 'nobody' })).rejects.toMatchObject({ code: 'entry-missing' });
    expect(session.head.leaf).toBe(a.id);
  });

  it('across epochs brings the context of the other place back, also while it is not in memory', async () => {
    const { session, store } = await begin();
    const a = await session.append(said('a'));
    const b = await session.append(answered('b'));
    await session.compact({ summary: 'S', firstKeptId: b.id, tokensBefore: 1, trigger: 'x' });
    const c = await session.append(said('c'));
    for (const subject of [session, await openSession({ store, id: 's' })]) {
      expect(texts({ context: await subject.contextAt({ leaf: b.id }) })).toEqual(['a', 'b']);
    }
    const opened = await openSession({ store, id: 's' });
    await opened.move({ to: a.id });
    expect(texts(opened)).toEqual(['a']);
    expect(opened.head.epoch).toBeNull();
    await opened.move({ to: c.id });
    expect(texts(opened)).toEqual([summaryOf('S'), 'b', 'c']);
  });
});

describe('rewinding', () => {
  it('goes back on the path only', async () => {
    const { session } = await begin();
    const [a, b] = [await session.append(said('a')), await session.append(said('b'))];
    expect((await session.rewind({ to: a.id })).entry).toMatchObject({ reason: 'rewind', target: a.id });
    await expect(session.rewind({ to: b.id })).rejects.toMatchObject({ code: 'not-on-path' });
    await session.rewind({ to: null });
    expect(texts(session)).toEqual([]);
  });
});

describe('labels and pins', () => {
  it('name entries that are there, and do not move the leaf', async () => {
    const { session } = await begin();
    const a = await session.append(said('a'));
    await session.label({ target: a.id, label: 'start' });
    expect((await session.tree()).labels.get(a.id)).toBe('start');
    await session.label({ target: a.id, label: null });
    expect((await session.tree()).labels.size).toBe(0);
    expect(session.head.leaf).toBe(a.id);
    await expect(session.label({ target: 'nobody', label: 'x' })).rejects.toMatchObject({ code: 'entry-missing' });
  });

  it('pins stand on the path and are not sent by themselves', async () => {
    const { session } = await begin();
    const a = await session.append(said('never push to main'));
    const pin = await session.pin({ from: { entry: a.id, part: 1 } });
    await session.pin({ removes: pin.id });
    expect(texts(session)).toEqual(['never push to main']);
    await expect(session.pin({ removes: 'nobody' })).rejects.toMatchObject({ code: 'entry-missing' });
  });
});

describe('recall and search', () => {
  it('find everything ever said, also what was compacted away or abandoned', async () => {
    const { session } = await begin();
    await session.append(said('the password of the wifi is rhubarb'));
    await session.compact({ summary: 'S', firstKeptId: null, tokensBefore: 1, trigger: 'x' });
    const [hit] = await session.search({ text: 'rhubarb' });
    expect(hit).toMatchObject({ handle: 1, part: 1 });
    expect(await session.recall({ handle: '@1.1' })).toEqual({
      handle: '@1.1',
      text: 'the password of the wifi is rhubarb',
      page: 1,
      pages: 1,
    });
    expect(await session.recall({ handle: '@1', page: 2, pageLength: 20 })).toMatchObject({ page: 2, pages: 2 });
    await expect(session.recall({ handle: '@99' })).rejects.toMatchObject({ code: 'entry-missing' });
    await expect(session.recall({ handle: 'twelve' })).rejects.toMatchObject({ code: 'bad-handle' });
  });
});

describe('watching', () => {
  it('notifies of durable appends in order, until unsubscribed', async () => {
    const { session, store } = await begin();
    const seen: number[] = [];
    const stop = session.watch((entries) => {
      seen.push(...entries.map(({ handle }) => handle));
      throw new Error('whoever looks on stops nothing');
    });
    await Promise.all([session.append(said('a')), session.append(answered('b'))]);
    await session.move({ to: null });
    expect(seen).toEqual([1, 2, 3]);
    expect((await store.head('s')).last).toBe(3);
    stop();
    await session.append(said('c'));
    expect(seen).toEqual([1, 2, 3]);
  });

  it('tells nothing of what the store refused', async () => {
    const store = createMemoryStore();
    const { session } = await begin({
      store: changed(store, { append: () => Promise.reject(new Error('the disk is full')) }),
    });
    const seen: unknown[] = [];
    session.watch((entries) => void seen.push(entries));
    await expect(session.append(said('a'))).rejects.toThrow('the disk is full');
    expect(seen).toEqual([]);
  });
});
