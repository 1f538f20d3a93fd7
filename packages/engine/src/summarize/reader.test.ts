import { expect, test } from 'vitest';
import { human, itemsOf, model } from '../engine/fixtures/items.ts';
import { storyOf } from '../engine/fixtures/story.ts';
import { createExtractiveSummarizer } from './in-worker.ts';
import { createItemReader } from './reader.ts';

test('a session is read once, however many questions are asked about it', () => {
  const read = createItemReader();
  const items = itemsOf(human('which phrase?'), model('It is correct-horse-battery.'));
  const first = read({ items, look: {} });
  expect(read({ items: [...items], look: {} })).toBe(first);
  expect(read({ items: items.slice(0, 1), look: {} })).not.toBe(first);
  expect(read({ items, look: { focus: 'the phrase' } })).not.toBe(first);
  expect(read({ items, look: { secrets: ['correct-horse-battery'] } }).partText({ item: 1, part: 1 })).not.toContain(
    'horse',
  );
});

test('secrets are looked for in new items only, and in all of them for other secrets', () => {
  const read = createReader();
  const items = itemsOf(model('It is correct-horse-battery.'), human('thanks'));
  const look = { secrets: ['correct-horse-battery'] };
  const [masked] = read({ items: items.slice(0, 1), look }).items;
  expect(JSON.stringify(masked)).not.toContain('horse');
  expect(read({ items, look }).items[0]).toBe(masked);
  expect(read({ items, look: { secrets: ['other'] } }).items[0]).toBe(items[0]);
});

test('only the last reading is held: items outlive it in a worker', () => {
  const read = createItemReader();
  const items = itemsOf(human('which phrase?'), model('It is correct-horse-battery.'), human('thanks'));
  const first = read({ items: items.slice(0, 2), look: {} });
  read({ items, look: {} });
  expect(read({ items: items.slice(0, 2), look: {} })).not.toBe(first);
});

test('what is asked of a worker about several sessions at once is answered of the right one', async () => {
  const [there, here] = [createExtractiveSummarizer(), createExtractiveSummarizer({ worker: false })];
  const inputs = [1, 2, 1, 3].map((seed) => {
    const all = itemsOf(storyOf({ seed, chapters: 2 }).chapters.flat());
    return { items: all.slice(0, -3), later: all.slice(-3), kept: [], budget: 2_000, pins: [] };
  });
  const answers = await Promise.all(inputs.map((input) => there.summarize(input)));
  const ends = await Promise.all(inputs.map((input) => there.tailFor?.(input)));
  for (const [index, input] of inputs.entries()) {
    expect(answers[index]).toEqual(await here.summarize(input));
    expect(ends[index]).toEqual(await here.tailFor?.(input));
  }
});
