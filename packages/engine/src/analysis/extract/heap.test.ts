import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { createMaxHeap } from './heap.ts';

test('returns the highest key first, also after keys were lowered and raised, and equal keys by number', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 });
  const changes = fc.array(fc.record({ number: fc.nat(39), key: fc.integer({ min: 0, max: 12 }) }), { maxLength: 40 });
  fc.assert(
    fc.property(keys, changes, (given, changed) => {
      const current = [...given];
      const heap = createMaxHeap(Float64Array.from(given));
      for (const { number, key } of changed) {
        if (heap.size === 0) break;
        const isFirst = number === heap.first;
        if (isFirst && key < (current[number] ?? 0)) {
          heap.lower(key);
          current[number] = key;
        } else if (key > (current[number] ?? Number.POSITIVE_INFINITY)) {
          heap.raise({ number, key });
          current[number] = key;
        }
      }
      const order: number[] = [];
      while (heap.size > 0) {
        const [, second = Number.NEGATIVE_INFINITY] = [...current.keys()]
          .filter((number) => !order.includes(number))
          .map((number) => current[number] ?? 0)
          .sort((a, b) => b - a);
        expect(heap.second).toBe(second);
        order.push(heap.first);
        heap.pop();
      }
      const expected = [...current.keys()].sort((a, b) => (current[b] ?? 0) - (current[a] ?? 0) || a - b);
      expect(order).toEqual(expected);
    }),
    runs(300),
  );
});

test('a removed number cannot be raised', () => {
  const heap = createMaxHeap(Float64Array.of(1, 5, 3));
  heap.pop();
  heap.raise({ number: 1, key: 9 });
  expect([heap.first, heap.size]).toEqual([2, 2]);
});
