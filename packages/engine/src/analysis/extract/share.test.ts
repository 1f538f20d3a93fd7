import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { call, done, human, itemsOf, model, result, type Said } from '../../engine/fixtures/items.ts';
import { runs } from '../../testing/runs.ts';
import { cutsOf } from '../cuts.ts';
import { readItems } from './reading.ts';
import { share } from './share.ts';

const count = (text: string) => text.length;
const sharesOf = (said: readonly Said[], budget: number) =>
  share({ reading: readItems({ items: itemsOf(...said) }), budget, count });
const rounds = (n: number) =>
  Array.from({ length: n }, (_, at) =>
    done('bash', { command: `make target${at}` }, `built target${at} in ${at * 37 + 11} ms`),
  ).flat();

describe('shares of a budget', () => {
  test('everything is kept if it fits', () => {
    expect(sharesOf(rounds(3), 10_000)).toEqual({ human: 0, lines: 0, tail: expect.any(Number), cut: 0 });
  });

  test('add up to the budget', () => {
    const { human: quoted, lines, tail } = sharesOf([human('Build all targets.'), ...rounds(200)], 4000);
    expect(quoted + lines + tail).toBe(4000);
    expect(quoted).toBe('Build all targets.'.length);
  });

  test('human messages get at most a quarter', () => {
    expect(sharesOf([human('log line 4711\n'.repeat(1000)), ...rounds(50)], 4000).human).toBe(1000);
  });

  test('a tail with new content is longer than one that repeats', () => {
    const fresh = rounds(200);
    const stale = [
      ...rounds(150),
      ...Array.from({ length: 50 }, () => done('bash', { command: 'make target1' }, 'built')).flat(),
    ];
    expect(sharesOf(fresh, 4000).tail).toBeGreaterThan(sharesOf(stale, 4000).tail);
  });

  test('the tail is between 10 % and 40 %', () => {
    for (const budget of [1000, 3000, 8000]) {
      const { tail } = sharesOf(rounds(400), budget);
      expect(tail).toBeGreaterThan(budget * 0.1 - 120);
      expect(tail).toBeLessThanOrEqual(budget * 0.4);
    }
  });

  test('a last round that is too large is reduced', () => {
    const { cut, tail } = sharesOf(
      [...rounds(20), call('big', 'bash', {}), result('big', 'x 4711\n'.repeat(5000))],
      4000,
    );
    expect(cut).toBe(40);
    expect(tail).toBe(800);
  });

  test('the cut never separates a call from its result', () => {
    const step = fc.constantFrom('say', 'answer', 'round', 'batch');
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 50, max: 3000 }), (steps, budget) => {
        const said = steps.flatMap((kind, at): Said[] => {
          if (kind === 'say') return [human(`please ${at}`)];
          if (kind === 'answer') return [model(`answer ${at}`)];
          if (kind === 'round') return done('bash', { command: `do ${at}` }, `did ${at}`);
          const ids = [`${at}a`, `${at}b`];
          const calls = ids.flatMap((id) => call(id, 'bash', { command: id }).parts);
          return [{ role: 'assistant', parts: calls }, ...ids.map((id) => result(id, `done ${id}`))];
        });
        const { cut, tail, lines, human: quoted } = sharesOf(said, budget);
        expect(cutsOf(said)[cut]).not.toBe('none');
        expect(tail + lines + quoted).toBeLessThanOrEqual(budget);
      }),
      runs(200),
    );
  });
});
