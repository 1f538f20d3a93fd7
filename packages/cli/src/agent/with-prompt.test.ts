import { expect, test } from 'vitest';
import { withPrompt } from './with-prompt.ts';

test.each([
  ['-p hi', true],
  ['-phi', true],
  ['--json -p hi', true],
  ['--prompt=hi', true],
  ['--continue', true],
  ['--session last', true],
  ['--color always --debug -p hi', true],
  ['--model x -p hi', true],
  ['--json search --session last word', false],
  ['--color never search --session last word', false],
  ['check a.json', false],
  ['count -p', false],
  ['--version', false],
  ['-- -p', false],
  ['', false],
])('%s', (line, isPrompt) => {
  const argv = line.split(' ').filter((word) => word !== '');
  expect(withPrompt(argv)).toEqual(isPrompt ? ['agent', ...argv] : argv);
});
