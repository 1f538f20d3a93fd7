import { describe, expect, test } from 'vitest';
import { human, itemsOf, model } from '../engine/fixtures/items.ts';
import { createClock } from '../testing/index.ts';
import { createBoundedSummarizer, createFallbackSummarizer } from './fallback.ts';
import { createExtractiveSummarizer } from './in-worker.ts';
import type { Attempt, Summarizer } from './summarizer.ts';

/** The caller counts characters; the extractive summarizer counts tokens. */
const count = (text: string) => text.length;
const last = createBoundedSummarizer({ summarizer: createExtractiveSummarizer({ worker: false }), count });
const items = itemsOf(human('Build a parser.'), model(`I build it. ${'Step by step. '.repeat(300)}`));
const input = { items, kept: [], budget: 2_000, pins: [] };
const narrative = { sections: { overview: 'A parser is being built.' } };

describe('a summarizer with a fallback', () => {
  test('keeps the narrative of a model that counts tokens differently', async () => {
    const attempts = [{ strategy: 'fork', outcome: 'accepted', ms: 5 }];
    const first: Summarizer = {
      strategy: 'model',
      summarize: async () => ({ text: 'x'.repeat(2_001), short: 's', strategy: 'fork', narrative, attempts }),
    };
    const summary = await createFallbackSummarizer({ first, last, count, timeout: 1_000 }).summarize(input);
    expect(summary).toMatchObject({ strategy: 'fork', attempts, narrative });
    expect(summary.text).toContain('A parser is being built.');
    expect(summary.text.length).toBeLessThanOrEqual(2_000);
  });

  test.each([
    ['late', () => new Promise<never>(() => undefined)],
    ['failed', () => Promise.reject(new Error('down'))],
    ['empty', async () => ({ text: ' ', short: '', narrative })],
    ['too-large', async () => ({ text: 'x'.repeat(2_001), short: '' })],
  ] as const)('records that the first was %s', async (outcome, summarize) => {
    const clock = createClock();
    const pending = createFallbackSummarizer({
      first: { strategy: 'model', summarize },
      last,
      count,
      timeout: 1_000,
      clock,
    }).summarize(input);
    await clock.advance(1_000);
    const { narrative: none, ...summary } = await pending;
    expect(none).toBeUndefined();
    expect(summary).toMatchObject({ strategy: 'extractive', attempts: [{ strategy: 'model', outcome }] });
  });

  test('keeps attempts that were paid for before a timeout', async () => {
    const clock = createClock();
    const paid = { strategy: 'fork', outcome: 'no-tag', cost: 0.25, ms: 400 };
    const first: Summarizer = {
      strategy: 'model',
      async summarize({ onAttempt }) {
        await clock.sleep(400);
        onAttempt?.(paid);
        return await new Promise<never>(() => undefined);
      },
    };
    const reported: Attempt[] = [];
    const onAttempt = (attempt: Attempt) => void reported.push(attempt);
    const pending = createFallbackSummarizer({ first, last, count, timeout: 1_000, clock }).summarize({
      ...input,
      onAttempt,
    });
    await clock.advance(1_000);
    const { attempts } = await pending;
    expect(attempts).toEqual([paid, { strategy: 'model', outcome: 'late', ms: 600 }]);
    expect(reported).toEqual(attempts);
  });
});
