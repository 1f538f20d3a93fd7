import { expect, test } from 'vitest';
import { refuseDeep } from './depth.ts';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));

test('what people write is not too deep', () => {
  expect(() => refuseDeep({ value: { a: [nested(900), 1, 'x', null] }, name: 'a.json' })).not.toThrow();
});

test('a bomb is refused in one sentence', () => {
  expect(() => refuseDeep({ value: nested(200_000), name: 'a.json' })).toThrow(
    'a.json is nested more than 1000 levels deep.',
  );
});
