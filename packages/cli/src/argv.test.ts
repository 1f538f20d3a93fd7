import { expect, test } from 'vitest';
import { earlyFlags, withPrompt } from './argv.ts';

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
  ['-h', false],
  ['--help -p', true],
  ['--model opus', true],
  ['--yes fix', true],
  ['-- -p', false],
  ['', true],
  ['--json', true],
  ['--color never', true],
])('%s', (line, isPrompt) => {
  const argv = line.split(' ').filter((word) => word !== '');
  expect(withPrompt({ argv })).toEqual(isPrompt ? ['agent', ...argv] : argv);
});

test.each([
  [['chekc', '--json'], { json: true }],
  [['check', '--', '--json'], { json: false }],
  [['--color', 'never'], { color: 'never' }],
  [['--color=always', 'x'], { color: 'always' }],
  [['always'], { color: 'auto' }],
  [['--no-color', '--color', 'always'], { color: 'never' }],
  [['--debug'], { debug: true }],
])('%j', (argv, wishes) => {
  expect(earlyFlags({ argv, env: {} })).toMatchObject(wishes);
});
