import { afterEach, expect, test, vi } from 'vitest';
import { makeText } from '../fixtures/texts.ts';
import { createTokenizer } from '../tokenizer.ts';
import { type BackgroundOptions, type BackgroundTokenizer, createBackgroundTokenizer } from './background.ts';

const open: BackgroundTokenizer[] = [];

function create(options: Partial<BackgroundOptions> = {}): BackgroundTokenizer {
  const tokenizer = createBackgroundTokenizer({ encoding: 'o200k_base', ...options });
  open.push(tokenizer);
  return tokenizer;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((tokenizer) => tokenizer.close()));
});

const large = makeText({ seed: 1, kind: 'markdown', length: 1_000_000 });

test.each([true, false])('answers as the tokenizer does, large and small (worker: %s)', async (worker) => {
  const exact = await createTokenizer('o200k_base');
  const background = create({ worker });
  const texts = ['', 'a', large, 'x\ud800', makeText({ seed: 2, kind: 'cjk', length: 300_000 })];
  const counts = await Promise.all(texts.map((text) => background.count({ text })));
  expect(counts).toEqual(texts.map((text) => exact.count(text)));
  expect(background.stats().where).toBe(worker ? 'worker' : 'in-process');
});

test('remembers answers by the hash of the text, and the newest only', async () => {
  const background = create({ entries: 2 });
  for (const text of ['one', 'two', 'one', 'three', 'one', 'two']) await background.count({ text });
  expect(background.stats()).toMatchObject({ hits: 2, misses: 4 });
});

test('stops the worker when idle and starts another when asked again', async () => {
  const background = create({ idleMs: 10 });
  await background.count({ text: 'one' });
  await vi.waitFor(() => expect(background.stats().where).toBe('stopped'));
  expect(await background.count({ text: 'two words' })).toBe(2);
  expect(background.stats().where).toBe('worker');
});

test('counts in this thread when the worker cannot be had', async () => {
  const background = create({ workerFile: new URL('file:///nowhere/worker.js') });
  expect(await Promise.all([background.count({ text: 'two words' }), background.count({ text: 'x' })])).toEqual([2, 1]);
  expect(background.stats().where).toBe('in-process');
});

test('finishes what was asked when it is closed in the middle, and starts another worker when asked again', async () => {
  const background = create();
  await background.count({ text: 'start' });
  const asked = background.count({ text: large });
  await background.close();
  expect(await asked).toBe((await createTokenizer('o200k_base')).count(large));
  await background.count({ text: 'again' });
  expect(background.stats().where).toBe('worker');
});

test.each([true, false])(
  'gives up with the reason when cancelled, and goes on with the rest (worker: %s)',
  async (worker) => {
    const background = create({ worker });
    const abort = new AbortController();
    const endless = background.count({ text: large.repeat(8), signal: abort.signal });
    const other = background.count({ text: 'two words' });
    setTimeout(() => abort.abort(new Error('changed my mind')), 20);
    await expect(endless).rejects.toThrow('changed my mind');
    expect(await other).toBe(2);
    await expect(background.count({ text: 'x', signal: abort.signal })).rejects.toThrow('changed my mind');
  },
);

test('lets work wait for its turn, and leave the queue', async () => {
  const background = create({ capacity: 1 });
  const abort = new AbortController();
  const first = background.count({ text: 'first one' });
  const second = background.count({ text: 'second', signal: abort.signal });
  const third = background.count({ text: 'a third one' });
  setImmediate(() => abort.abort(new Error('gone')));
  await expect(second).rejects.toThrow('gone');
  expect(await Promise.all([first, third])).toEqual([2, 3]);
});

test('refuses more than may wait', async () => {
  const background = create({ capacity: 1, waiting: 1 });
  const asked = await Promise.allSettled(['a', 'b', 'c'].map((text) => background.count({ text })));
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(asked[2]).toMatchObject({ reason: { code: 'tokens-overloaded' } });
});
