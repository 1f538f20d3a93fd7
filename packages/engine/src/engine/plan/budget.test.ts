import { describe, expect, test } from 'vitest';
import { budgetOf, excerptOf } from './budget.ts';

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

describe('what stays free with tools', () => {
  const tools = { window: 32_000, toolTokens: 1_200 };

  test('is used once a provider has counted the request, and what a compaction leaves stays the same', () => {
    const [counted, confirmed] = [budgetOf(tools), budgetOf({ ...tools, isConfirmed: true })];
    expect(counted).toMatchObject({ limit: 27_200, threshold: 26_000, planned: 24_600 });
    expect(confirmed).toEqual({ ...counted, threshold: 27_200 });
  });

  test('is at most a tenth of what they leave', () => {
    expect(budgetOf({ window: 32_000, toolTokens: 9_200 }).threshold).toBe(25_400);
  });

  test('is never used by a preset that renders into the rest', () => {
    const chat = { ...tools, fitsThreshold: true };
    expect(budgetOf({ ...chat, isConfirmed: true })).toEqual(budgetOf(chat));
  });

  test('a threshold of the user is reached exactly', () => {
    expect(budgetOf({ ...tools, threshold: 0.5, isConfirmed: true }).threshold).toBe(16_000);
  });
});
