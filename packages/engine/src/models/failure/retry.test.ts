import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyFailure } from './classify.ts';
import type { ModelFailure } from './failure.ts';
import { retryDelay } from './retry.ts';

const busy: ModelFailure = { kind: 'rate', message: 'busy', retryable: true };
const steady = () => 0;

describe('retryDelay', () => {
  test('doubles from 2 s and gives up after three', () => {
    expect([1, 2, 3, 4].map((attempt) => retryDelay({ attempt, failure: busy, random: steady }))).toEqual([
      2000,
      4000,
      8000,
      undefined,
    ]);
  });

  test('never waits more than 60 s', () => {
    const policy = { attempts: 20, baseMs: 2000, maxMs: 60_000 };
    expect(retryDelay({ attempt: 12, failure: busy, random: steady, policy })).toBe(60_000);
  });

  test('does what the server asks, and fails at once when it asks for too long', () => {
    expect(retryDelay({ attempt: 1, failure: { ...busy, delayMs: 35_000 }, random: steady })).toBe(35_000);
    expect(retryDelay({ attempt: 1, failure: { ...busy, delayMs: 60_001 }, random: steady })).toBeUndefined();
  });

  test('takes its jitter from the given source', () => {
    expect(retryDelay({ attempt: 1, failure: busy, random: () => 1 })).toBe(1500);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 3 }), (value, attempt) => {
        const delay = retryDelay({ attempt, failure: busy, random: () => value }) ?? 0;
        return delay >= 1500 * 2 ** (attempt - 1) && delay <= 2000 * 2 ** (attempt - 1);
      }),
    );
  });

  test.each([
    'insufficient_quota',
    'invalid x-api-key',
    'invalid_request_error',
    'prompt is too long',
    'PROHIBITED_CONTENT',
  ])('never repeats «%s»', (body) => {
    expect(retryDelay({ attempt: 1, failure: classifyFailure({ body }), random: steady })).toBeUndefined();
  });
});
