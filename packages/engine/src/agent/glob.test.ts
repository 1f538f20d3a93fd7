import { expect, test } from 'vitest';
import { globPattern } from './glob.ts';

test.each([
  ['src/**', 'src/a/b.ts', true],
  ['src/**', 'srcs/a', false],
  ['src/*.ts', 'src/a/b.ts', false],
  ['**/*.ts', 'a.ts', true],
  ['**/*.ts', '/x/y/a.ts', true],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['*.{ts,md}', 'a.md', true],
  ['*.{ts,md}', 'a.js', false],
  ['[a-c].ts', 'b.ts', true],
  ['[!a-c].ts', 'b.ts', false],
  ['?.ts', '/.ts', false],
  ['a.ts', 'abts', false],
  ['a\\*', 'a*', true],
  ['a\\*', 'ab', false],
  ['a[', 'a[', true],
  ['a{b', 'ab', true],
  ['(a|b)+$', '(a|b)+$', true],
])('%s and %s: %s', (glob, path, expected) => expect(globPattern({ glob }).test(path)).toBe(expected));
