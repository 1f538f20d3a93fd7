import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { classifyFailure } from './classify.ts';
import type { ModelFailure } from './failure.ts';
import { retryAttempts, retryDelay } from './retry.ts';

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
      runs(100),
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

describe('retryAttempts', () => {
  const sleeper = () => {
    const delays: number[] = [];
    return { delays, clock: { sleep: async (ms: number) => void delays.push(ms) } };
  };

  test('iterates for as long as an attempt asks for another, by the policy', async () => {
    const { delays, clock } = sleeper();
    const events: number[] = [];
    const answers: boolean[] = [];
    const onRetry = ({ attempt }: { readonly attempt: number }) => void events.push(attempt);
    for await (const attempt of retryAttempts({ clock, random: steady, onRetry })) answers.push(attempt.retry(busy));
    expect(answers).toEqual([true, true, true, false]);
    expect(delays).toEqual([2000, 4000, 8000]);
    expect(events).toEqual([1, 2, 3]);
  });

  test('ends after an attempt that asks for nothing', async () => {
    let count = 0;
    for await (const _ of retryAttempts({ ...sleeper(), random: steady })) count += 1;
    expect(count).toBe(1);
  });

  test('an attempt without a delay counts for the policy', async () => {
    const { delays, clock } = sleeper();
    let count = 0;
    for await (const attempt of retryAttempts({ clock, random: steady })) {
      count += 1;
      if (count === 1) attempt.retryNow();
      else attempt.retry(busy);
    }
    expect(delays).toEqual([4000, 8000]);
    expect(count).toBe(4);
  });

  test('a delay that is not allowed ends it and is not reported', async () => {
    const { delays, clock } = sleeper();
    const events: number[] = [];
    const onRetry = ({ delayMs }: { readonly delayMs: number }) => void events.push(delayMs);
    const allows = (delayMs: number) => delayMs < 4000;
    for await (const attempt of retryAttempts({ clock, random: steady, allows, onRetry })) attempt.retry(busy);
    expect([delays, events]).toEqual([[2000], [2000]]);
  });

  test('an abort during the delay ends the iteration; other errors of the clock are thrown', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    let count = 0;
    for await (const attempt of retryAttempts({ random: steady, signal })) {
      count += 1;
      expect(attempt.retry(busy)).toBe(true);
      setImmediate(() => controller.abort());
    }
    expect(count).toBe(1);
    const broken = async () => {
      const clock = { sleep: () => Promise.reject(new Error('no timer')) };
      for await (const attempt of retryAttempts({ clock, random: steady })) attempt.retry(busy);
    };
    await expect(broken()).rejects.toThrow('no timer');
  });
});
