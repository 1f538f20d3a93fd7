import { describe, expect, it } from 'vitest';
import { answered, said } from '../fixtures/entries.ts';
import { begin, changed, texts, tools } from '../fixtures/sessions.ts';
import type { Session } from '../session.ts';
import { ConflictError, StoreWriteError } from '../store/errors.ts';
import { createMemoryStore } from '../store/memory.ts';
import { createSession, openSession } from './live-session.ts';

describe('a second writer', () => {
  it('gets a typed error and has merged nothing; after reloading it continues', async () => {
    const { session, store } = await begin();
    await session.append(said('a'));
    const other = await openSession({ store, id: 's', ...tools(2) });
    await session.append(said('b'));
    const failure = await other.append(said('c')).catch((error) => error);
    expect(failure).toBeInstanceOf(ConflictError);
    expect(failure).toMatchObject({ code: 'session-conflict', head: session.head });
    expect(texts(other)).toEqual(['a']);
    await other.reload();
    expect(texts(other)).toEqual(['a', 'b']);
    await other.append(said('c'));
    expect((await other.read({ after: 0 })).map(({ handle }) => handle)).toEqual([1, 2, 3]);
  });

  it('that only renames cannot hide the transcript (pi #9930, #8177)', async () => {
    const { session, store } = await begin();
    await session.append(said('a'));
    const stale = await openSession({ store, id: 's', ...tools(2) });
    for (let n = 0; n < 10; n += 1) await session.append(said(`${n}`));
    await expect(stale.append({ type: 'session_info', info: { name: 'x' } })).rejects.toBeInstanceOf(ConflictError);
    expect((await openSession({ store, id: 's' })).context.items).toHaveLength(11);
  });

  it('can go on in a fork that holds what both said', async () => {
    const { session, store } = await begin();
    await session.append(said('a'));
    const other = await openSession({ store, id: 's', ...tools(2) });
    await session.append(said('b'));
    await expect(other.append(said('c'))).rejects.toBeInstanceOf(ConflictError);
    await other.reload();
    const fork = await other.fork();
    await fork.append(said('c'));
    expect(texts(fork)).toEqual(['a', 'b', 'c']);
    expect(texts(await openSession({ store, id: 's' }))).toEqual(['a', 'b']);
  });

  it('writing wildly loses nothing: every acknowledged append is there once, in one line', async () => {
    const { session, store } = await begin();
    const writers = [
      session,
      ...(await Promise.all([2, 3, 4].map((seed) => openSession({ store, id: 's', ...tools(seed) })))),
    ];
    let conflicts = 0;
    const insist = async (writer: Session, text: string): Promise<void> => {
      for (;;) {
        try {
          await writer.append(said(text));
          return;
        } catch (error) {
          if (!(error instanceof ConflictError)) throw error;
          conflicts += 1;
          await writer.reload();
        }
      }
    };
    await Promise.all(
      writers.map(async (writer, w) => {
        for (let n = 0; n < 25; n += 1) await insist(writer, `${w}:${n}`);
      }),
    );
    const log = await session.read({ after: 0 });
    expect(log).toHaveLength(100);
    expect(new Set(log.map((entry) => JSON.stringify('message' in entry && entry.message))).size).toBe(100);
    expect(log.every((entry, n) => entry.parentId === (log[n - 1]?.id ?? null))).toBe(true);
    expect(conflicts).toBeGreaterThan(0);
  });
});

describe('a store that fails', () => {
  it('leaves the session where it was (pi #11460: a failed write left orphans)', async () => {
    const memory = createMemoryStore();
    let isFull = false;
    const store = changed(memory, {
      append: async (input) => {
        if (isFull) throw new StoreWriteError({ why: 'the disk is full' });
        return memory.append(input);
      },
    });
    const { session } = await begin({ store });
    const a = await session.append(said('a'));
    isFull = true;
    const failures = await Promise.allSettled([session.append(said('b')), session.append(said('c')), session.undo()]);
    expect(failures.map((result) => result.status === 'rejected' && result.reason.code)).toEqual([
      'store-write-failed',
      'store-write-failed',
      'nothing-to-undo',
    ]);
    await expect(
      session.compact({ summary: 'S', firstKeptId: null, tokensBefore: 1, trigger: 'x' }),
    ).rejects.toMatchObject({
      code: 'store-write-failed',
    });
    expect(session.head).toMatchObject({ last: 1, leaf: a.id });
    isFull = false;
    const d = await session.append(said('d'));
    expect(d).toMatchObject({ handle: 2, parentId: a.id });
    expect(texts(session)).toEqual(['a', 'd']);
    expect((await openSession({ store, id: 's' })).context).toEqual(session.context);
  });

  it('has not heard of what was not kept', async () => {
    const memory = createMemoryStore();
    const store = changed(memory, {
      append: async () => {
        throw new StoreWriteError({ why: 'the disk is full' });
      },
    });
    const session = await createSession({ store, header: { id: 's' }, nextId: () => 'lost' });
    await expect(session.append(said('a'))).rejects.toBeInstanceOf(StoreWriteError);
    await expect(session.move({ to: 'lost' })).rejects.toMatchObject({ code: 'entry-missing' });
  });

  it('shows nothing before it has acknowledged', async () => {
    const memory = createMemoryStore();
    const gate = Promise.withResolvers<void>();
    const store = changed(memory, {
      append: async (input) => {
        await gate.promise;
        return memory.append(input);
      },
    });
    const { session } = await begin({ store });
    const pending = session.append(said('a'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(session.head.last).toBe(0);
    expect(session.context.items).toEqual([]);
    gate.resolve();
    await pending;
    expect(session.head.last).toBe(1);
  });
});

describe('appends that wait', () => {
  it('share one write of the store', async () => {
    const memory = createMemoryStore();
    const sizes: number[] = [];
    const store = changed(memory, {
      append: async (input) => {
        sizes.push(input.entries.length);
        await new Promise((resolve) => setImmediate(resolve));
        return memory.append(input);
      },
    });
    const { session } = await begin({ store });
    const first = session.append(said('0'));
    await new Promise((resolve) => setImmediate(resolve));
    const rest = Promise.all(Array.from({ length: 30 }, (_, n) => session.append(said(`${n + 1}`))));
    await first;
    const entries = await rest;
    expect(entries.map(({ handle }) => handle)).toEqual(Array.from({ length: 30 }, (_, n) => n + 2));
    expect(sizes).toEqual([1, 30]);
  });

  it('are not held up by one that is refused', async () => {
    const { session } = await begin();
    const results = await Promise.allSettled([
      session.append(said('a')),
      session.append({ type: 'label' } as never),
      session.append(said('b')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(texts(session)).toEqual(['a', 'b']);
  });
});

describe('opening', () => {
  it('reads the same number of rows however old the session is', async () => {
    const rowsToOpen = async (compactions: number) => {
      const memory = createMemoryStore();
      const { session } = await begin({ store: memory });
      for (let round = 0; round < compactions; round += 1) {
        const batch = Array.from({ length: 20 }, (_, n) => [said(`${round}.${n}`), answered('ok')]).flat();
        const entries = await session.appendBatch(batch);
        const firstKeptId = entries.at(-4)?.id ?? null;
        await session.compact({ summary: 'S', firstKeptId, tokensBefore: 1, trigger: 'x' });
      }
      await session.appendBatch(Array.from({ length: 10 }, (_, n) => said(`end ${n}`)));
      let rows = 0;
      const counting = changed(memory, {
        read: async (input) => {
          const found = await memory.read(input);
          rows += found.length;
          return found;
        },
      });
      const opened = await openSession({ store: counting, id: 's' });
      expect(opened.context).toEqual(session.context);
      return rows;
    };
    const young = await rowsToOpen(2);
    expect(young).toBeLessThan(30);
    expect(await rowsToOpen(40)).toBe(young);
  });

  it('and going far back reads an epoch at a time, and forgets again what it does not need', async () => {
    const memory = createMemoryStore();
    let reads = 0;
    const store = changed(memory, {
      read: async (input) => {
        reads += 1;
        return memory.read(input);
      },
    });
    const { session } = await begin({ store });
    const old = await session.appendBatch(Array.from({ length: 200 }, (_, n) => said(`${n}`)));
    const there = old.at(-1)?.id ?? null;
    await session.compact({ summary: 'S', firstKeptId: null, tokensBefore: 1, trigger: 'x' });
    const readsOf = async (look: () => Promise<unknown>) => {
      const before = reads;
      await look();
      return reads - before;
    };
    // A few reads, not one an entry; and not none, since what stays in memory makes a long session grow.
    expect(await readsOf(() => session.contextAt({ leaf: there }))).toBeLessThan(5);
    expect(await readsOf(() => session.contextAt({ leaf: there }))).toBeGreaterThan(0);
    expect(await readsOf(() => session.move({ to: there }))).toBeLessThan(5);
    expect(session.context.items).toHaveLength(200);
  });

  it('rejects a log that lacks what would be sent, and opens it on request', async () => {
    const { session, store } = await begin();
    const [a, b] = await session.appendBatch([said('a'), said('b'), said('c')]);
    for (const lost of [a, b]) {
      const holed = changed(store, {
        read: async (input) => (await store.read(input)).filter(({ id }) => id !== lost?.id),
      });
      await expect(openSession({ store: holed, id: 's' })).rejects.toMatchObject({ code: 'store-damaged' });
      const opened = await openSession({ store: holed, id: 's', allowDamage: true });
      expect(opened.context.problems).toMatchObject([{ code: 'missing-entry', entry: lost?.id }]);
      expect(texts(opened).at(-1)).toBe('c');
    }
  });

  it('says so where there is no such session', async () => {
    await expect(openSession({ store: createMemoryStore(), id: 'none' })).rejects.toMatchObject({
      code: 'session-missing',
    });
  });

  it('of a session without entries is at nothing', async () => {
    const store = createMemoryStore();
    const { id } = await createSession({ store });
    const opened = await openSession({ store, id });
    expect(opened.head).toEqual({ last: 0, count: 0, leaf: null, epoch: null });
    expect(opened.context.items).toEqual([]);
  });
});
