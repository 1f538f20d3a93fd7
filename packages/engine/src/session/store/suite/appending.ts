import { describe, expect, it } from 'vitest';
import type { Entry } from '../../entry/entry.ts';
import { lineOf, said, testIds } from '../../fixtures/entries.ts';
import { headerOf, type StoreBench } from './bench.ts';

/** What is appended is kept, whole and as it was. */
export function describeAppending(on: StoreBench): void {
  describe('appending', () => {
    it('gives entries back byte for byte and in order, also after a restart', async () => {
      const entries = await on.begin([
        said('plain'),
        said('NUL \u0000, U+2028 \u2028, half a pair \ud83d, 👍'),
        { type: 'custom', customType: 'x', data: { b: 1, a: [1e300, -1.5, null], '': '' } },
        { type: 'unknown', kind: 'later', value: { z: { y: 1 }, a: 2 } },
        said('x'.repeat(300_000)),
      ]);
      expect(JSON.stringify(await on.everything())).toBe(JSON.stringify(entries));
      await on.reopen();
      expect(JSON.stringify(await on.everything())).toBe(JSON.stringify(entries));
    });

    it('keeps where the session stands, also after a restart', async () => {
      const [first, , third] = await on.begin([said('a'), said('b'), said('c')]);
      const [note] = lineOf({
        drafts: [{ type: 'leaf', target: first?.id ?? null, reason: 'move' }],
        nextId: testIds(99),
        ...(third && { after: third }),
      });
      if (!note) throw new Error('no note');
      const head = await on.store.append({
        session: 's1',
        expect: 3,
        entries: [note],
        leaf: first?.id ?? null,
        epoch: 'some-epoch',
      });
      expect(head).toEqual({ last: 4, count: 4, leaf: first?.id, epoch: 'some-epoch' });
      await on.reopen();
      expect(await on.store.head('s1')).toEqual(head);
    });

    it('keeps what it was given even when the caller changes its objects afterwards', async () => {
      const [entry] = await on.begin([{ type: 'custom', customType: 'x', data: { list: [1] } }]);
      const before = JSON.stringify(entry);
      if (entry?.type === 'custom') Object.assign(entry.data as object, { list: 'changed' });
      expect(JSON.stringify((await on.everything())[0])).toBe(before);
    });

    it('has gaps between handles where a clone left entries out', async () => {
      await on.store.create({ header: headerOf('s1') });
      const entries = lineOf({ drafts: [said('a'), said('b'), said('c')] }).filter(({ handle }) => handle !== 2);
      const head = await on.append('s1', entries);
      expect(head).toMatchObject({ last: 3, count: 2 });
      expect(await on.store.read({ session: 's1', query: { handles: [2, 3] } })).toEqual(entries.slice(1));
    });

    it('is whole or not at all: one bad entry and none of the batch is kept', async () => {
      const [first] = await on.begin([said('a')]);
      if (!first) throw new Error('no entry');
      const [second, third] = lineOf({ drafts: [said('b'), said('c')], nextId: testIds(7), after: first });
      if (!second || !third) throw new Error('no entries');
      const bad: Entry[][] = [
        [third, second],
        [second, { ...third, handle: second.handle }],
        [second, { ...third, id: first.id }],
        [second, { ...third, id: second.id }],
        [{ ...second, handle: first.handle }],
        // Made a session in SQLite damaged: the id came back as another one.
        [second, { ...third, id: '\ud800' }],
      ];
      for (const entries of bad) {
        await expect(
          on.store.append({ session: 's1', expect: 1, entries, leaf: null, epoch: null }),
        ).rejects.toMatchObject({ code: 'append-rejected' });
      }
      expect(await on.everything()).toEqual([first]);
      expect(await on.store.head('s1')).toEqual({ last: 1, count: 1, leaf: first.id, epoch: null });
      await on.append('s1', [second, third]);
      expect(await on.everything()).toEqual([first, second, third]);
    });
  });
}
