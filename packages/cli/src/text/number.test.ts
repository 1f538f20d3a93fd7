import { expect, test } from 'vitest';
import { number } from './number.ts';

test.each([0, 7, 999, 1000, 1234567, 12.5, 1234.5678, -1000, 100_000])('%d is written as in English', (amount) => {
  expect(number(amount)).toBe(amount.toLocaleString('en-US'));
});
