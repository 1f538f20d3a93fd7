import { expect, test } from 'vitest';
import { noIgnore } from './ignore.ts';

const ignored = (text: string, path: string, isFolder = false) =>
  noIgnore.with({ folder: '/r', text }).ignores({ path: `/r/${path}`, isFolder });

test.each([
  ['*.log', 'a.log', true],
  ['*.log', 'b/c/a.log', true],
  ['*.log', 'a.logs', false],
  ['/a.txt', 'a.txt', true],
  ['/a.txt', 'b/a.txt', false],
  ['b/a.txt', 'b/a.txt', true],
  ['b/a.txt', 'c/b/a.txt', false],
  ['**/a.txt', 'c/b/a.txt', true],
  ['**/a.txt', 'a.txt', true],
  ['b/**', 'b/c/d', true],
  ['b/**', 'b', false],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[ab].txt', 'b.txt', true],
  ['[!ab].txt', 'b.txt', false],
  ['[a-c].txt', 'c.txt', true],
  ['[z-a].txt', 'c.txt', false],
  ['# a', '# a', false],
  ['\\#a', '#a', true],
  ['a.b', 'axb', false],
  ['a\\ ', 'a ', true],
  ['a  ', 'a', true],
  ['(x', '(x', true],
  ['', 'a', false],
  ['[]a].txt', '].txt', true],
  ['[a\\-c].txt', '-.txt', true],
  ['[a\\-c].txt', 'b.txt', false],
  ['[', '[', true],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXbYbZ', false],
  ['a/**/b/**/c', 'a/x/b/b/y/c', true],
  ['**', 'a', true],
  [`${'*a'.repeat(40)}*b`, 'a'.repeat(250), false],
])('%j and %j: %s', (text, path, expected) => {
  expect(ignored(text, path)).toBe(expected);
});

test('a rule with a slash at its end is for folders', () => {
  expect([ignored('build/', 'build', true), ignored('build/', 'build', false)]).toEqual([true, false]);
});

test('later rules win, and files further down', () => {
  expect(ignored('*.log\n!keep.log', 'keep.log')).toBe(false);
  const below = noIgnore.with({ folder: '/r', text: '*.log' }).with({ folder: '/r/b', text: '!*.log' });
  expect(below.ignores({ path: '/r/b/a.log', isFolder: false })).toBe(false);
  expect(below.ignores({ path: '/r/a.log', isFolder: false })).toBe(true);
});
