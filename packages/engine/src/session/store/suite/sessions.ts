import { describe, expect, it } from 'vitest';
import { lineOf, said } from '../../fixtures/entries.ts';
import { headerOf, type StoreBench } from './bench.ts';

/** Creating, knowing and deleting sessions. */
export function describeSessions(on: StoreBench): void {
  describe('sessions', () => {
    it('gives a header back byte for byte, also after a restart', async () => {
      const header = headerOf('s1', {
        name: 'naïve 👍 \u2028',
        cwd: '/a b/c',
        parent: { session: 's0', entry: 'e' },
        owner: { session: 'boss', call: 'call_1' },
        source: { format: 'pi', key: 'k' },
        details: { z: 1, a: [null, { b: 'x' }] },
      });
      await on.store.create({ header });
      expect(JSON.stringify(await on.store.header('s1'))).toBe(JSON.stringify(header));
      await on.reopen();
      expect(JSON.stringify(await on.store.header('s1'))).toBe(JSON.stringify(header));
    });

    it('knows nothing of a session that is not there', async () => {
      expect(await on.store.header('none')).toBeUndefined();
      await expect(on.store.head('none')).rejects.toMatchObject({ code: 'session-missing' });
      await expect(on.everything('none')).rejects.toMatchObject({ code: 'session-missing' });
      await expect(on.store.delete('none')).rejects.toMatchObject({ code: 'session-missing' });
      await expect(
        on.store.append({
          session: 'none',
          expect: 0,
          entries: lineOf({ drafts: [said('a')] }),
          leaf: null,
          epoch: null,
        }),
      ).rejects.toMatchObject({ code: 'session-missing' });
    });

    it('creates a session once, and keeps what the first one holds', async () => {
      const entries = await on.begin([said('first')]);
      await expect(on.store.create({ header: headerOf('s1') })).rejects.toMatchObject({ code: 'session-exists' });
      expect(await on.everything()).toEqual(entries);
    });

    it('begins at nothing', async () => {
      await on.store.create({ header: headerOf('s1') });
      expect(await on.store.head('s1')).toEqual({ last: 0, count: 0, leaf: null, epoch: null });
      expect(await on.everything()).toEqual([]);
    });

    it('really deletes: log, list and search', async () => {
      await on.begin([said('rhubarb')]);
      await on.begin([said('rhubarb')], 's2');
      await on.store.delete('s1');
      expect(await on.store.header('s1')).toBeUndefined();
      expect((await on.store.list()).map(({ header }) => header.id)).toEqual(['s2']);
      expect((await on.store.search({ text: 'rhubarb' })).map(({ session }) => session)).toEqual(['s2']);
      await on.reopen();
      expect(await on.store.header('s1')).toBeUndefined();
      expect(await on.everything('s2')).toHaveLength(1);
    });
  });
}
