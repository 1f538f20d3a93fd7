import { describe, expect, test } from 'vitest';
import { excerptOf } from './budget.ts';

describe('what a compaction leaves for summary and tail', () => {
  test('is a share of what head and small pending input leave free', () => {
    expect(excerptOf({ threshold: 54_000, head: 4_000 })).toBe(25_000);
    expect(excerptOf({ threshold: 54_000, head: 4_000, pending: 10_000 })).toBe(20_000);
  });

  test('large pending input does not starve the summary while the window has room', () => {
    expect(excerptOf({ threshold: 54_000, head: 4_000, pending: 30_000 })).toBe(12_500);
    // Some of what is free stays free.
    expect(excerptOf({ threshold: 54_000, head: 4_000, pending: 42_000 })).toBe(6_000);
    expect(excerptOf({ threshold: 54_000, head: 4_000, pending: 60_000 })).toBe(0);
  });
});
