import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../json.ts';
import { runs } from '../../../testing/runs.ts';
import { spill, spillLength, unspill } from './spill.ts';

const long = fc.string({ unit: 'binary', maxLength: 8 }).map((seed) => `${seed}x`.repeat(spillLength));

describe('long strings taken out of a value', () => {
  it('are put back where they were, whatever else is in it', () => {
    const value = fc.letrec<{ json: Json }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue() as fc.Arbitrary<Json>,
        long,
        fc.array(tie('json'), { maxLength: 3 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('json'), { maxKeys: 3 }),
      ),
    })).json;
    fc.assert(
      fc.property(fc.record({ value }), (whole) => {
        const { value: rest, spilled } = spill(whole as Json);
        const back = unspill({ value: JSON.parse(JSON.stringify(rest)), spilled });
        expect(JSON.stringify(back)).toBe(JSON.stringify(whole));
        for (const { text } of spilled) expect(text.isWellFormed()).toBe(true);
      }),
      runs(100),
    );
  });

  it('stay where UTF-8 could not carry them', () => {
    expect(spill({ text: `\ud83d${'x'.repeat(spillLength)}` }).spilled).toEqual([]);
  });
});
