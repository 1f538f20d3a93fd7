import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRandom } from '../../testing/index.ts';
import { runs } from '../../testing/runs.ts';
import { createIds } from './id.ts';

const seeded = (seed: number) => {
  const random = createRandom(seed);
  return (count: number) => Uint8Array.from({ length: count }, () => random.int(0, 255));
};

describe('ids', () => {
  it('are UUIDs of version 7 that begin with the time', () => {
    const nextId = createIds({ now: () => 0x0123456789ab, randomBytes: seeded(1) });
    expect(nextId()).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('increase, whether the clock advances, stops or goes back', () => {
    const clock = fc.array(fc.integer({ min: 0, max: 2 ** 47 }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(clock, fc.nat(), (times, seed) => {
        let at = 0;
        const nextId = createIds({ now: () => times[at++ % times.length] ?? 0, randomBytes: seeded(seed) });
        const ids = Array.from({ length: 200 }, nextId);
        expect(ids).toEqual([...new Set(ids)].sort());
      }),
      runs(50),
    );
  });

  it('grow over many thousands in one millisecond: the time is borrowed from the next one', () => {
    const nextId = createIds({ now: () => 1000, randomBytes: seeded(2) });
    const ids = Array.from({ length: 20_000 }, nextId);
    expect(new Set(ids).size).toBe(20_000);
    expect(ids.toSorted()).toEqual(ids);
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(
      true,
    );
  });

  it('of two processes at the same moment differ', () => {
    const [one, two] = [createIds({ now: () => 5 }), createIds({ now: () => 5 })];
    expect(one()).not.toBe(two());
  });
});
