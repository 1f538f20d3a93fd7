import { describe, expect, it } from 'vitest';
import { lineOf, said } from '../../fixtures/entries.ts';
import { headerOf, type StoreBench } from './bench.ts';

/** Every way of asking for entries. */
export function describeReading(on: StoreBench): void {
  describe('reading', () => {
    it('finds by id and by handle, in order of handle, each once, and leaves out what is not there', async () => {
      const entries = await on.begin([said('a'), said('b'), said('c')]);
      const ids = [entries[2]?.id ?? '', 'nobody', entries[0]?.id ?? '', entries[2]?.id ?? ''];
      expect(await on.store.read({ session: 's1', query: { ids } })).toEqual([entries[0], entries[2]]);
      expect(await on.store.read({ session: 's1', query: { handles: [3, 99, 1, 3, 0] } })).toEqual([
        entries[0],
        entries[2],
      ]);
      expect(await on.store.read({ session: 's1', query: { ids: [] } })).toEqual([]);
    });

    it('finds thousands of ids in one question', async () => {
      const entries = await on.begin(Array.from({ length: 3000 }, (_, index) => said(`m${index}`)));
      const ids = entries.map(({ id }) => id).reverse();
      expect(await on.store.read({ session: 's1', query: { ids } })).toEqual(entries);
      const handles = entries.map(({ handle }) => handle);
      expect(await on.store.read({ session: 's1', query: { handles } })).toHaveLength(3000);
    });

    it('reads on page by page', async () => {
      const entries = await on.begin(Array.from({ length: 7 }, (_, index) => said(`m${index}`)));
      const page = (after: number) => on.store.read({ session: 's1', query: { after, limit: 3 } });
      expect(await page(0)).toEqual(entries.slice(0, 3));
      expect(await page(3)).toEqual(entries.slice(3, 6));
      expect(await page(6)).toEqual(entries.slice(6));
      expect(await page(7)).toEqual([]);
    });

    it('finds the entries of one epoch and those before the first', async () => {
      await on.store.create({ header: headerOf('s1') });
      const line = lineOf({ drafts: [said('a'), said('b'), said('c'), said('d')] });
      const entries = line.map((entry, index) => ({ ...entry, epoch: index < 2 ? null : (line[2]?.id ?? null) }));
      await on.append('s1', entries);
      expect(await on.store.read({ session: 's1', query: { epoch: null } })).toEqual(entries.slice(0, 2));
      expect(await on.store.read({ session: 's1', query: { epoch: line[2]?.id ?? '' } })).toEqual(entries.slice(2));
      expect(await on.store.read({ session: 's1', query: { epoch: 'nobody' } })).toEqual([]);
    });

    it('finds the entries of some kinds', async () => {
      const entries = await on.begin([said('a'), { type: 'thinking_change', level: 'high' }, said('c')]);
      expect(await on.store.read({ session: 's1', query: { types: ['thinking_change', 'epoch'] } })).toEqual([
        entries[1],
      ]);
      expect(await on.store.read({ session: 's1', query: { types: [] } })).toEqual([]);
    });

    it('finds a message by the key it was appended under', async () => {
      const entries = await on.begin([
        said('a'),
        { ...said('b'), key: 'turn-7' },
        { ...said('c'), key: "it's \u0000" },
      ]);
      expect(await on.store.read({ session: 's1', query: { keys: ['turn-7'] } })).toEqual([entries[1]]);
      expect(await on.store.read({ session: 's1', query: { keys: ["it's \u0000", 'turn-7', 'turn'] } })).toEqual(
        entries.slice(1),
      );
      expect(await on.store.read({ session: 's1', query: { keys: [] } })).toEqual([]);
    });
  });
}
