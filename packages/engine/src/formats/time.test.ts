import { expect, test } from 'vitest';
import { readTime } from './time.ts';

test('a time without a zone is the same on every machine', () => {
  expect(readTime('2024-08-06 08:55:14')).toBe(Date.UTC(2024, 7, 6, 8, 55, 14));
  expect(readTime('2025-04-30T16:32:54.707474')).toBe(Date.UTC(2025, 3, 30, 16, 32, 54, 707));
});

test('an explicit time zone applies', () => {
  expect(readTime('2025-04-30T16:32:54+02:00')).toBe(Date.UTC(2025, 3, 30, 14, 32, 54));
  expect(readTime('2025-04-30T16:32:54Z')).toBe(Date.UTC(2025, 3, 30, 16, 32, 54));
});

test('milliseconds are a time as well', () => {
  expect(readTime(1_722_934_514_000)).toBe(1_722_934_514_000);
});

test.each([undefined, -7, '', 'yesterday', '2025-13-30T16:32:54', '1960-01-01 00:00:00'])('%s is none', (value) => {
  expect(readTime(value)).toBeUndefined();
});
