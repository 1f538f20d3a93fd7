import { describe, expect, test } from 'vitest';
import { createClock } from '../../testing/index.ts';
import { lineOf, said } from '../fixtures/entries.ts';
import { createMemoryStore } from '../store/memory.ts';
import type { Store } from '../store/store.ts';
import { type LeaseHolder, thisProcess } from './lease.ts';
import { leasedStore } from './leased-store.ts';

const here = thisProcess();

/** A process of this machine that does not exist: the pid is taken by one that started at another time. */
const gone: LeaseHolder = { ...here, started: 'long ago' };

const elsewhere: LeaseHolder = { ...here, machine: 'other', host: 'other' };

async function sessionIn(store: Store): Promise<void> {
  await store.create({ header: { v: 1, id: 's', createdAt: 0 } });
}

const append = (store: Store) => {
  const entries = lineOf({ drafts: [said('a')] });
  return store.append({ session: 's', expect: 0, entries, leaf: entries[0]?.id ?? null, epoch: null });
};

describe('a leased store', () => {
  test('writes to a session while no other process does, and others can read', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    const [one, two] = [1, 2].map(() => leasedStore({ store, purpose: 'test', clock: createClock() }));
    if (!one || !two) throw new Error('unreachable');
    await append(one);
    await expect(append(two)).rejects.toMatchObject({
      code: 'session-in-use',
      message: expect.stringContaining(`process ${process.pid} on ${here.host} (test)`),
    });
    await expect(two.delete('s')).rejects.toMatchObject({ code: 'session-in-use' });
    expect(await two.read({ session: 's', query: { after: 0 } })).toHaveLength(1);
    await one.close();
    await two.acquire({ session: 's' });
    await two.delete('s');
    await two.close();
  });

  test('takes the lease of a process that has ended over at once', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    const clock = createClock();
    await leasedStore({ store, purpose: 'dead', clock, holder: gone }).acquire({ session: 's' });
    await append(leasedStore({ store, purpose: 'next', clock }));
    expect(await store.leases?.read('s')).toMatchObject({ purpose: 'next' });
  });

  test('never takes over from a live process of this machine, however long it has been silent', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    await leasedStore({ store, purpose: 'stopped', clock: createClock() }).acquire({ session: 's' });
    const clock = createClock({ start: Date.UTC(2026, 0, 2) });
    await expect(leasedStore({ store, purpose: 'next', clock }).acquire({ session: 's' })).rejects.toThrow(
      /has not responded for \d+ seconds/,
    );
  });

  test('watches a silent process of another machine for two renewals before it takes over', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    await leasedStore({ store, purpose: 'there', clock: createClock(), holder: elsewhere }).acquire({ session: 's' });
    const clock = createClock({ start: Date.UTC(2026, 0, 2) });
    const taken = leasedStore({ store, purpose: 'next', clock }).acquire({ session: 's' });
    await clock.advance(10_000);
    expect(await store.leases?.read('s')).toMatchObject({ purpose: 'there' });
    await clock.advance(2_000);
    await taken;
    expect(await store.leases?.read('s')).toMatchObject({ purpose: 'next' });
  });

  test('a live process of another machine keeps its lease, although its clock is wrong', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    const there = createClock();
    await leasedStore({ store, purpose: 'there', clock: there, holder: elsewhere }).acquire({ session: 's' });
    const clock = createClock({ start: Date.UTC(2026, 0, 2) });
    const taken = leasedStore({ store, purpose: 'next', clock }).acquire({ session: 's' });
    const refused = expect(taken).rejects.toMatchObject({ code: 'session-in-use' });
    for (let step = 0; step < 6; step += 1) {
      await there.advance(2_500);
      await clock.advance(2_500);
    }
    await refused;
  });

  test('waits for a lease, and says for whom', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    const clock = createClock();
    const first = leasedStore({ store, purpose: 'first', clock });
    await first.acquire({ session: 's' });
    const waited: string[] = [];
    const second = leasedStore({ store, purpose: 'second', clock });
    const acquired = second.acquire({ session: 's', onWait: ({ purpose }) => waited.push(purpose) });
    await clock.advance(1_000);
    await first.close();
    await clock.advance(1_000);
    await acquired;
    expect(waited).toEqual(['first']);
  });

  test('a process whose lease was taken over writes nothing more', async () => {
    const store = createMemoryStore();
    await sessionIn(store);
    const clock = createClock();
    const first = leasedStore({ store, purpose: 'first', clock, holder: gone });
    await first.acquire({ session: 's' });
    await leasedStore({ store, purpose: 'second', clock }).acquire({ session: 's' });
    await clock.advance(6_000);
    await expect(append(first)).rejects.toMatchObject({ code: 'lease-lost' });
    expect(await store.read({ session: 's', query: { after: 0 } })).toEqual([]);
  });
});
