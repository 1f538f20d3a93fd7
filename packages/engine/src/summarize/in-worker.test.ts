import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { done, human, itemsOf, model } from '../engine/fixtures/items.ts';
import { createExtractiveSummarizer } from './in-worker.ts';

const items = itemsOf(
  human('Never push to main. The build of the parser is red.'),
  done('bash', { command: 'npm test' }, 'FAIL src/parser.test.ts\nexpected 41, got 42'),
  model('The lexer skips a line; I fix src/lexer.ts.'),
);
const input = { items, kept: [], budget: 2000, pins: [{ text: 'Never push to main.', from: '@1.1' }] };

describe('the extractive summarizer', () => {
  test('returns the same in a worker and in the thread of the caller', async () => {
    const [there, here] = [createExtractiveSummarizer(), createExtractiveSummarizer({ worker: false })];
    const summary = await there.summarize(input);
    expect(summary).toEqual(await here.summarize(input));
    expect(summary.text).toContain('- Never push to main. (@1.1)');
    expect(summary.text).toContain('expected 41, got 42');
  });

  test('leaves no listener on a signal that outlives it', async () => {
    const { signal } = new AbortController();
    await createExtractiveSummarizer().summarize({ ...input, signal });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('aborts without waiting for the work, and can be used again', async () => {
    const summarizer = createExtractiveSummarizer();
    const stop = new AbortController();
    const called = summarizer.summarize({ ...input, signal: stop.signal });
    stop.abort();
    await expect(called).rejects.toMatchObject({ name: 'AbortError' });
    expect((await summarizer.summarize(input)).text).toContain('Never push to main.');
    await expect(summarizer.summarize({ ...input, signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
  });
});
