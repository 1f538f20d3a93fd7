import { expect, test } from 'vitest';
import { withPrompt } from './with-prompt.ts';

test.each([
  ['-p hi', true],
  ['-phi', true],
  ['--json -p hi', true],
  ['--prompt=hi', true],
  ['--continue', true],
  ['--session last', true],
  ['check a.json', false],
  ['count -p', false],
  ['--version', false],
  ['-- -p', false],
  ['', false],
])('%s', (line, isPrompt) => {
  const argv = line.split(' ').filter((word) => word !== '');
  expect(withPrompt(argv)).toEqual(isPrompt ? ['agent', ...argv] : argv);
});
