import { describe, expect, it } from 'vitest';
import type { Entry } from '../../entry/entry.ts';
import { lineOf, said, testIds } from '../../fixtures/entries.ts';
import type { StoreBench } from './bench.ts';

/** Full-text search. */
export function describeSearch(on: StoreBench): void {
  describe('search', () => {
    it('finds words with their handle, part and surroundings, whatever the case', async () => {
      const entries = await on.begin([
        said('nothing here'),
        {
          type: 'message',
          message: {
            role: 'assistant',
            parts: [
              { type: 'text', origin: 'model', text: 'I look.' },
              {
                type: 'tool_call',
                origin: 'model',
                id: 'c',
                name: 'bash',
                arguments: '{"cmd":"grep Rhubarb crumble"}',
              },
            ],
          },
        },
      ]);
      const hits = await on.store.search({ text: 'rhubarb' });
      expect(hits).toMatchObject([{ session: 's1', entry: entries[1]?.id, handle: 2, part: 2 }]);
      expect(hits[0]?.snippet).toContain('Rhubarb');
      expect(hits[0]?.score).toBeGreaterThan(0);
    });

    it('finds what tools said, summaries and texts of extensions', async () => {
      await on.begin([
        {
          type: 'message',
          message: {
            role: 'tool',
            parts: [
              {
                type: 'tool_result',
                origin: 'tool',
                callId: 'c',
                content: [{ type: 'text', origin: 'tool', text: 'one quince' }],
              },
            ],
          },
        },
        { type: 'branch_summary', fromId: null, summary: 'two quince' },
        { type: 'compaction', summary: 'three quince', firstKeptId: null, tokensBefore: 1, trigger: 'manual' },
        {
          type: 'custom_message',
          customType: 'x',
          parts: [{ type: 'text', origin: 'engine', text: 'four quince' }],
          display: true,
        },
      ]);
      const handles = (await on.store.search({ text: 'quince' })).map(({ handle }) => handle);
      expect(handles.sort()).toEqual([1, 2, 3, 4]);
    });

    it('puts what holds more of the words first', async () => {
      await on.begin([
        said('apple alone, at length'),
        said('apple with pear'),
        said('pear alone, at length'),
        said('none'),
      ]);
      const hits = await on.store.search({ text: 'apple pear' });
      expect(hits[0]?.handle).toBe(2);
    });

    it('puts the newer of two equal texts first', async () => {
      await on.begin([
        said('the same fig'),
        ...Array.from({ length: 200 }, (_, n) => said(`filler ${n}`)),
        said('the same fig'),
      ]);
      expect((await on.store.search({ text: 'fig' })).map(({ handle }) => handle)).toEqual([202, 1]);
    });

    it('puts what stands on the active path before what was abandoned', async () => {
      const [root, onPath] = await on.begin([said('root'), said('the same fig')]);
      const [abandoned] = lineOf({
        drafts: [said('the same fig')],
        nextId: testIds(5),
        ...(onPath && { after: onPath }),
      });
      if (!root || !onPath || !abandoned) throw new Error('no entries');
      const aside: Entry = { ...abandoned, parentId: root.id };
      const [note] = lineOf({
        drafts: [{ type: 'leaf', target: onPath.id, reason: 'move' }],
        nextId: testIds(6),
        after: aside,
      });
      if (!note) throw new Error('no note');
      await on.store.append({ session: 's1', expect: 2, entries: [aside, note], leaf: onPath.id, epoch: null });
      expect((await on.store.search({ text: 'fig' })).map(({ handle }) => handle)).toEqual([2, 3]);
    });

    it('keeps to one session and to a limit when told', async () => {
      await on.begin([said('plum 1'), said('plum 2')]);
      await on.begin([said('plum 3')], 's2');
      expect(await on.store.search({ text: 'plum' })).toHaveLength(3);
      expect(await on.store.search({ text: 'plum', limit: 2 })).toHaveLength(2);
      expect((await on.store.search({ text: 'plum', session: 's2' })).map(({ session }) => session)).toEqual(['s2']);
      expect(await on.store.search({ text: 'plum', session: 'none' })).toEqual([]);
    });

    it.each([
      '"',
      "it's",
      'a AND',
      'NEAR(',
      '*',
      '-plum',
      'col:plum',
      '()',
      '',
      '   ',
      '\u0000',
      'plum"; DROP TABLE x',
    ])('takes %j as words, not as a language', async (text) => {
      await on.begin([said('a plum it is')]);
      expect(Array.isArray(await on.store.search({ text }))).toBe(true);
    });
  });
}
