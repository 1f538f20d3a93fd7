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

  it('breaks at a string too, and marks the cut if configured', async () => {
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

  it('is counted in linear time (editor.md 1.19.7)', async () => {
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

  it.each([
    ['down', Math.floor],
    ['up', Math.ceil],
  ])('is counted in linear time by a counter that rounds %s', async (_name, round) => {
    for (const keep of ['head', 'tail', 'both'] as const)
      for (const length of [500, 4_000]) {
        let characters = 0;
        const count = (each: string) => {
          characters += each.length;
          return round(each.length / 4);
        };
        const long = 'ab '.repeat(length);
        const kept = await cutText({ text: long, rule: ' ', budget: length / 4, count, keep, mark: undefined });
        expect(round(kept.length / 4)).toBeLessThanOrEqual(length / 4 + 2);
        expect(kept.length).toBeGreaterThan(length * 0.98 - 10);
        expect(characters / long.length).toBeLessThan(8);
      }
  });

  it('keeps as much as fits, whatever its pieces count alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 60 }),
        fc.double({ min: 1, max: 8, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (words, per, share) => {
          const whole = words.map((size) => ` ${'x'.repeat(size)}`).join('');
          const count = (each: string) => Math.floor(each.length / per);
          const budget = Math.floor(count(whole) * share);
          const kept = await cutText({ text: whole, rule: ' ', budget, count, keep: 'head', mark: undefined });
          expect(count(kept)).toBeLessThanOrEqual(budget);
          const next = whole.indexOf(' ', kept.length + 1);
          if (kept !== whole) expect(count(whole.slice(0, next === -1 ? whole.length : next))).toBeGreaterThan(budget);
        },
      ),
      { seed: 9, ...runs(200) },
    );
  });

  it('is never cut inside a character', async () => {
    const faces = `a${'😀'.repeat(200)}`;
    for (const rule of [/./g, /.{10}/g, /[^\n]{7}/gu])
      for (const keep of ['head', 'tail', 'both'] as const)
        for (let budget = 20; budget < 40; budget += 1)
          expect((await cut(budget, { text: faces, rule, keep })).isWellFormed()).toBe(true);
  });
});
