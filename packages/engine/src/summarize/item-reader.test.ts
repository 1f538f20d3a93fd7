import { expect, test } from 'vitest';
import { human, itemsOf, model } from '../engine/fixtures/items.ts';
import { storyOf } from '../engine/fixtures/story.ts';
import { createExtractiveSummarizer } from './in-worker.ts';
import { createItemReader } from './item-reader.ts';

test('a session is read once for several questions', () => {
  const read = createItemReader();
  const items = itemsOf(human('which phrase?'), model('It is correct-horse-battery.'));
  const first = read({ items, options: {} });
  expect(read({ items: [...items], options: {} })).toBe(first);
  expect(read({ items: items.slice(0, 1), options: {} })).not.toBe(first);
  expect(read({ items, options: { focus: 'the phrase' } })).not.toBe(first);
  expect(read({ items, options: { secrets: ['correct-horse-battery'] } }).partText({ item: 1, part: 1 })).not.toContain(
    'horse',
  );
});

test('only new items are searched for secrets, and all of them after the secrets change', () => {
  const read = createItemReader();
  const items = itemsOf(model('It is correct-horse-battery.'), human('thanks'));
  const options = { secrets: ['correct-horse-battery'] };
  const [masked] = read({ items: items.slice(0, 1), options }).items;
  expect(JSON.stringify(masked)).not.toContain('horse');
  expect(read({ items, options }).items[0]).toBe(masked);
  expect(read({ items, options: { secrets: ['other'] } }).items[0]).toBe(items[0]);
});

test('only the last reading is cached, because items outlive it in a worker', () => {
  const read = createItemReader();
  const items = itemsOf(human('which phrase?'), model('It is correct-horse-battery.'), human('thanks'));
  const first = read({ items: items.slice(0, 2), options: {} });
  read({ items, options: {} });
  expect(read({ items: items.slice(0, 2), options: {} })).not.toBe(first);
});

test('concurrent questions about several sessions are answered from the right one', async () => {
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
