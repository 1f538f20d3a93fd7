import { expect, it } from 'vitest';
import { measure } from './figures.ts';

const figures = measure();

it('prints its table', () => {
  console.log(
    figures.map(({ name, value, limit }) => `${String(value).padStart(6)} (at most ${limit})  ${name}`).join('\n'),
  );
  expect(figures.length).toBeGreaterThan(5);
});

it.each(figures)('$name: at most $limit', ({ value, limit, examples }) => {
  expect(value, examples.slice(0, 40).join('\n')).toBeLessThanOrEqual(limit);
});
