import { expect, test } from 'vitest';
import { noIgnore } from './ignore.ts';
import { fits } from './wildcard.ts';

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

test('a hostile rule takes time in proportion to the lengths of rule and path, not a power of its stars', () => {
  let tests = 0;
  const counted = (accepted: string) => (name: string) => {
    tests += 1;
    return name === accepted;
  };
  const pattern = Array.from({ length: 200 }, () => ['any' as const, counted('a')]).flat();
  const items = [...Array.from({ length: 400 }, () => 'a'), 'b'];
  expect(fits({ pattern: [...pattern, counted('c')], items })).toBe(false);
  expect(tests).toBeLessThanOrEqual((pattern.length + 1) * items.length);
  expect(ignored(`${'**/a/'.repeat(200)}c`, `${'a/'.repeat(400)}b`)).toBe(false);
  expect(ignored(`${'*a'.repeat(200)}c`, 'a'.repeat(4_000))).toBe(false);
});

test('without regard to case, where asked for', () => {
  const caseless = noIgnore.with({ folder: '/R', text: 'Build/\n/Src/[A-C]*.log', isCaseless: true });
  expect(caseless.ignores({ path: '/R/x/BUILD', isFolder: true })).toBe(true);
  expect(caseless.ignores({ path: '/R/src/Beta.LOG', isFolder: false })).toBe(true);
  expect(ignored('Build', 'build')).toBe(false);
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
