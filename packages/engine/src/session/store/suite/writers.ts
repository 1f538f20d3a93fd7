import { describe, expect, it } from 'vitest';
import { lineOf, said, testIds } from '../../fixtures/entries.ts';
import type { StoreBench } from './bench.ts';

/** Compare-and-set: a writer that has not seen the newest entry writes nothing. */
export function describeWriters(on: StoreBench): void {
  describe('a second writer', () => {
    it('is found, has written nothing, and is told where the session stands', async () => {
      const [first] = await on.begin([said('a')]);
      const mine = lineOf({ drafts: [said('mine')], nextId: testIds(8), ...(first && { after: first }) });
      const head = await on.append('s1', mine);
      const theirs = lineOf({ drafts: [said('theirs')], nextId: testIds(9), ...(first && { after: first }) });
      await expect(
        on.store.append({ session: 's1', expect: 1, entries: theirs, leaf: null, epoch: null }),
      ).rejects.toMatchObject({ code: 'session-conflict', head });
      expect(await on.everything()).toEqual([first, ...mine]);
      expect(await on.store.search({ text: 'theirs' })).toEqual([]);
    });

    it('changes the version of the session with each append, where the store has one', async () => {
      const [first] = await on.begin([said('a')]);
      const versions = [on.store.version?.('s1'), on.store.version?.('s1')];
      expect(typeof versions[0]).toBe(on.store.version ? 'string' : 'undefined');
      expect(versions[0]).toBe(versions[1]);
      await on.append('s1', lineOf({ drafts: [said('b')], nextId: testIds(8), ...(first && { after: first }) }));
      if (versions[0] !== undefined) expect(on.store.version?.('s1')).not.toBe(versions[0]);
      expect(on.store.version?.('unknown')).toBeUndefined();
    });

    it('loses the race of many for one place: exactly one wins', async () => {
      const [first] = await on.begin([said('a')]);
      const attempts = Array.from({ length: 8 }, (_, seed) => {
        const entries = lineOf({
          drafts: [said(`w${seed}`)],
          nextId: testIds(100 + seed),
          ...(first && { after: first }),
        });
        return on.store.append({ session: 's1', expect: 1, entries, leaf: entries[0]?.id ?? null, epoch: null });
      });
      const results = await Promise.allSettled(attempts);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'session-conflict' });
      }
      expect(await on.store.head('s1')).toMatchObject({ last: 2, count: 2 });
      expect(await on.everything()).toHaveLength(2);
    });

    it('does not disturb another session', async () => {
      await on.begin([said('a')]);
      await on.begin([said('b')], 's2');
      await Promise.all(
        ['s1', 's2'].map(async (session, index) => {
          for (let turn = 0; turn < 10; turn += 1) {
            const [last] = await on.store.read({ session, query: { handles: [turn + 1] } });
            const nextId = testIds(1000 + index * 100 + turn);
            await on.append(
              session,
              lineOf({ drafts: [said(`${session} ${turn}`)], nextId, ...(last && { after: last }) }),
            );
          }
        }),
      );
      expect((await on.everything('s1')).map(({ handle }) => handle)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
      expect(await on.everything('s2')).toHaveLength(11);
    });
  });
}
