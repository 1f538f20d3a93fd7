import { expect, test } from 'vitest';
import { type ColorChoice, paintFor } from './paint.ts';

const isColored = (choice: ColorChoice, env: Record<string, string>, isTerminal: boolean) =>
  paintFor({ output: { isTerminal }, choice, env }).good('x') !== 'x';

test.each<[ColorChoice, Record<string, string>, boolean, boolean]>([
  ['auto', {}, true, true],
  ['auto', {}, false, false],
  ['auto', { NO_COLOR: '1' }, true, false],
  ['auto', { NO_COLOR: '' }, true, true],
  ['auto', { FORCE_COLOR: '1' }, false, true],
  ['auto', { FORCE_COLOR: '0' }, true, false],
  ['auto', { FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
  ['auto', { TERM: 'dumb' }, true, false],
  ['always', { NO_COLOR: '1' }, false, true],
  ['never', { FORCE_COLOR: '1' }, true, false],
])('color %s with %j, on a terminal: %s', (choice, env, isTerminal, colored) => {
  expect(isColored(choice, env, isTerminal)).toBe(colored);
});
