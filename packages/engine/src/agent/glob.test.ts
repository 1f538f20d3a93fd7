import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../testing/runs.ts';
import { compileGlob, globPattern, runGlob } from './glob.ts';

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
  ['[z-a]', 'm', false],
  ['src[.-0]x', 'src/x', false],
  ['{a,{b,c}d}e', 'cde', true],
  ['src/{**/*.ts,a.md}', 'src/a.ts', true],
])('%s and %s: %s', (glob, path, expected) => expect(globPattern({ glob }).test(path)).toBe(expected));

test.each([
  ['.ENV', true],
  ['.env', true],
  ['.xenv', false],
])('case-insensitive: %s', (path, expected) =>
  expect(globPattern({ glob: '.{env,foo}', isCaseless: true }).test(path)).toBe(expected),
);

test('a Kelvin sign matches k if case is ignored', () =>
  expect(globPattern({ glob: '*.key', isCaseless: true }).test('a.\u212Aey')).toBe(true));

test('a pattern that is too long is an error, and is never truncated', () =>
  expect(() => globPattern({ glob: 'a'.repeat(1001) })).toThrow(/1001 characters/));

const globs = fc
  .array(fc.constantFrom('a', 'b', '*', '**', '**/', '/', '?', '{', ',', '}', '[ab]', '[!a]', '\\*', '.'), {
    maxLength: 9,
  })
  .map((parts) => parts.join(''));
const paths = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '*', 'c'), maxLength: 8 });

test('agrees with a recursive definition', () => {
  fc.assert(
    fc.property(globs, paths, (glob, path) => {
      const expected = alternatives(glob).some((tokens) => matches({ tokens, path }));
      expect(globPattern({ glob }).test(path)).toBe(expected);
    }),
    runs(2_000),
  );
});

test('a hostile find pattern takes linear, not exponential time', () => {
  const hostile = fc.constantFrom('*a', '**/a', '{a,aa}', '{*,a*}', '?*', '**', '{a,{a,{a,aa}}}', '[a-z]*', '*,');
  fc.assert(
    fc.property(hostile, fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 400 }), (unit, times, length) => {
      const program = compileGlob({ glob: `${unit.repeat(times)}!`, isCaseless: false });
      const { isMatch, steps } = runGlob({ program, path: 'a'.repeat(length) });
      expect(isMatch).toBe(false);
      // Each instruction is entered from at most three others.
      expect(steps).toBeLessThanOrEqual(3 * program.length * (length + 1));
    }),
    runs(200),
  );
});

/** The token lists of the alternatives in the braces of a glob. An unclosed brace ends with the glob. */
function alternatives(glob: string): string[][] {
  const tokens = glob.match(/\*\*\/|\*\*|\\.|\\|\[[^\]][^\]]*\]|[\s\S]/gu) ?? [];
  const read = (from: number, depth: number): { all: string[][]; end: number } => {
    let [all, current, at]: [string[][], string[][], number] = [[], [[]], from];
    for (; at < tokens.length; at += 1) {
      const token = tokens[at] ?? '';
      if (token === '{') {
        const inner = read(at + 1, depth + 1);
        current = current.flatMap((list) => inner.all.map((each) => [...list, ...each]));
        at = inner.end;
      } else if (token === ',' && depth > 0) [all, current] = [[...all, ...current], [[]]];
      else if (token === '}' && depth > 0) break;
      else current = current.map((list) => [...list, token]);
    }
    return { all: [...all, ...current], end: at };
  };
  return read(0, 0).all;
}

/** Matching by its definition, exponential and simple. */
function matches({ tokens, path }: { readonly tokens: readonly string[]; readonly path: string }): boolean {
  const at = (index: number, from: number): boolean => {
    const token = tokens[index];
    if (token === undefined) return from === path.length;
    const first = path[from];
    const skips = (isAllowed: (skipped: string) => boolean) =>
      [...Array(path.length - from + 1).keys()].some(
        (length) => isAllowed(path.slice(from, from + length)) && at(index + 1, from + length),
      );
    if (token === '**/')
      return skips((skipped) => (skipped === '' ? (path[from - 1] ?? '/') === '/' : skipped.endsWith('/')));
    if (token === '**') return skips(() => true);
    if (token === '*') return skips((skipped) => !skipped.includes('/'));
    if (first === undefined) return false;
    const inner = token.slice(1, -1);
    const isClass = token.length > 2 && token.startsWith('[');
    const isIn = inner.startsWith('!') ? !inner.slice(1).includes(first) : inner.includes(first);
    const isWanted = token === '?' || isClass ? first !== '/' && (isIn || !isClass) : token.at(-1) === first;
    return isWanted && at(index + 1, from + 1);
  };
  return at(0, 0);
}
