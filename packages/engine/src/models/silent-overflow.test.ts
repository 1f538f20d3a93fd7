import { expect, test } from 'vitest';
import { silentOverflow } from './silent-overflow.ts';

const window = 1000;
const usage = (prompt: number, output: number) => ({ input: prompt - 100, output, cacheRead: 100, cacheWrite: 0 });

test('z.ai: an answer to more than the window holds', () => {
  expect(silentOverflow({ usage: usage(1001, 5), endReason: 'stop', window })).toBe(true);
  expect(silentOverflow({ usage: usage(1000, 5), endReason: 'stop', window })).toBe(false);
});

test('an answer that ends with calls counts as well, and so does what went into the cache', () => {
  expect(silentOverflow({ usage: usage(1001, 5), endReason: 'tool_calls', window })).toBe(true);
  expect(silentOverflow({ usage: usage(1000, 5), endReason: 'tool_calls', window })).toBe(false);
  const written = { input: 1, output: 5, cacheRead: 0, cacheWrite: 1000 };
  expect(silentOverflow({ usage: written, endReason: 'stop', window })).toBe(true);
});

test('MiMo: a window filled to 99 % and nothing said', () => {
  expect(silentOverflow({ usage: usage(990, 0), endReason: 'length', window })).toBe(true);
  expect(silentOverflow({ usage: usage(989, 0), endReason: 'length', window })).toBe(false);
  expect(silentOverflow({ usage: usage(990, 1), endReason: 'length', window })).toBe(false);
});

test('without usage, or after another end, nothing can be said', () => {
  expect(silentOverflow({ usage: undefined, endReason: 'stop', window })).toBe(false);
  expect(silentOverflow({ usage: usage(5000, 0), endReason: 'aborted', window })).toBe(false);
});
