import { expect, test } from 'vitest';
import { usageNote } from './usage.ts';

test('what came from a cache, or went into one, is no input', () => {
  expect(usageNote({ prompt: 100, cacheRead: 60, cacheWrite: 30, output: 5 })?.usage).toEqual({
    input: 10,
    output: 5,
    cacheRead: 60,
    cacheWrite: 30,
  });
  expect(usageNote({ input: 100, cacheRead: 60, output: 5 })?.usage).toMatchObject({ input: 100, cacheRead: 60 });
});

test('a prompt reported as smaller than its cache was read from the cache', () => {
  expect(usageNote({ prompt: 10, cacheRead: 60 })?.usage).toMatchObject({ input: 0, cacheRead: 60 });
});

test('reasoning is separate if there was any', () => {
  expect(usageNote({ output: 5, reasoning: 3 })?.usage.reasoning).toBe(3);
  expect(usageNote({ output: 5, reasoning: 0 })?.usage).not.toHaveProperty('reasoning');
});

test.each([{}, { input: 0, output: 0 }, { input: -1, output: 'many', prompt: null, cacheRead: Number.NaN }])(
  'nothing is told by %j',
  (reported) => {
    expect(usageNote(reported)).toBeUndefined();
  },
);
