import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { cutText } from './cut-text.ts';

const text = 'one two three four five six';
const cut = (budget: number, more: object = {}) =>
  cutText({ text, rule: /\s+/g, budget, count: (each) => each.length, keep: 'head', mark: undefined, ...more });

describe('a text that is cut', () => {
  it.each([
    ['head', 12, 'one two'],
    ['tail', 12, ' five six'],
    ['both', 16, 'one\n…\n five six'],
    ['head', 27, text],
    ['head', 2, ''],
  ] as const)('keeps its %s within %i tokens', async (keep, budget, expected) => {
    expect(await cut(budget, { keep })).toBe(expected);
  });

  it('breaks at a string too, and says where something was cut out if it is told how', async () => {
    expect(await cut(13, { rule: ' ', mark: ' [cut]' })).toBe('one two [cut]');
  });

  it('never exceeds the budget, and each end is one of the text', async () => {
    const ends = fc.constantFrom('head' as const, 'tail' as const, 'both' as const);
    await fc.assert(
      fc.asyncProperty(fc.lorem({ maxCount: 60 }), fc.nat(200), ends, async (words, budget, keep) => {
        const mark = keep === 'both' ? '|' : undefined;
        const kept = await cutText({ text: words, rule: ' ', budget, count: (each) => each.length, keep, mark });
        const [head = '', tail = ''] = keep === 'tail' ? ['', kept] : kept.split('|');
        expect(kept.length <= Math.max(budget, mark?.length ?? 0)).toBe(true);
        expect(words.startsWith(head) && words.endsWith(tail)).toBe(true);
      }),
      { seed: 9, ...runs(200) },
    );
  });

  it('is counted in time linear to it (editor.md 1.19.7)', async () => {
    const counted = async (length: number) => {
      let characters = 0;
      const count = (each: string) => {
        characters += each.length;
        return each.length;
      };
      await cutText({
        text: 'word '.repeat(length),
        rule: ' ',
        budget: length * 3,
        count,
        keep: 'head',
        mark: undefined,
      });
      return characters;
    };
    expect((await counted(4_000)) / (await counted(1_000))).toBeLessThan(4.5);
  });
});
