import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../testing/runs.ts';
import { createLru } from './lru.ts';

test('the most recently read or written values are kept', () => {
  const access = fc.record({ key: fc.constantFrom(...'abcdefgh'), isWrite: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(access, { maxLength: 100 }), (entries, accesses) => {
      const cache = createLru<number>({ entries });
      let expected: (readonly [string, number])[] = [];
      for (const [index, { key, isWrite }] of accesses.entries()) {
        const value = isWrite ? index : expected.find(([known]) => known === key)?.[1];
        if (isWrite) cache.set(key, index);
        else expect(cache.get(key)).toBe(value);
        if (value === undefined) continue;
        expected = [...expected.filter(([known]) => known !== key), [key, value] as const].slice(-entries);
      }
      expect([...cache.entries()].toReversed()).toEqual(expected);
    }),
    runs(100),
  );
});

test.each([
  [0, 1],
  [2.5, 2],
  [Number.POSITIVE_INFINITY, 3],
])('a limit of %d keeps %d of three values', (entries, kept) => {
  const cache = createLru<number>({ entries });
  for (const [index, key] of ['a', 'b', 'c'].entries()) cache.set(key, index);
  expect(cache.size).toBe(kept);
  expect(cache.get('c')).toBe(2);
});
