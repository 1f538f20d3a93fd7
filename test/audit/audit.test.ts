import { expect, test } from 'vitest';
import { readAdvice } from '../../audit/advisories.ts';
import { lockfileProblems, npmrcProblems } from '../../audit/lockfile.ts';

const good = { resolved: 'https://registry.npmjs.org/a/-/a-1.0.0.tgz', integrity: 'sha512-abc' };

test('a lockfile of the registry with checksums passes', () => {
  const packages = { '': {}, 'packages/cli': {}, 'node_modules/cli': { link: true }, 'node_modules/a': good };
  expect(lockfileProblems({ packages })).toEqual([]);
});

test.each([
  ['another place', { ...good, resolved: 'git+ssh://git@example.com/a.git' }, 'a comes from git+ssh'],
  ['an address that only looks like the registry', { ...good, resolved: 'https://registry.npmjs.org.evil/a' }, 'comes'],
  ['no checksum', { resolved: good.resolved }, 'a has no sha512 checksum'],
  ['a weak checksum', { ...good, integrity: 'sha1-abc' }, 'a has no sha512 checksum'],
  ['an install script', { ...good, hasInstallScript: true }, 'a has an install script'],
])('a package with %s is a problem', (_, locked, problem) => {
  const problems = lockfileProblems({ packages: { 'node_modules/b/node_modules/a': locked } });
  expect(problems).toEqual([expect.stringContaining(problem)]);
});

test('an install script on the list is allowed', () => {
  const packages = { 'node_modules/a': { ...good, hasInstallScript: true } };
  expect(lockfileProblems({ packages, allowed: { a: 'known' } })).toEqual([]);
});

test('install scripts must be off', () => {
  expect(npmrcProblems('save-exact=true\nignore-scripts=true\n')).toEqual([]);
  expect(npmrcProblems('#ignore-scripts=true\n')).toHaveLength(1);
});

test('known weaknesses are problems, unless they are on the list with a reason', () => {
  const url = 'https://github.com/advisories/GHSA-xxxx';
  const via = [{ name: 'a', title: 'hangs', severity: 'high', url, range: '<2' }, 'b'];
  const text = JSON.stringify({ vulnerabilities: { a: { via } } });
  expect(readAdvice({ text })).toEqual({ isKnown: true, problems: [`a <2: hangs (high) ${url}`] });
  expect(readAdvice({ text, allowed: { [url]: 'not reached' } })).toEqual({ isKnown: true, problems: [] });
  expect(readAdvice({ text: JSON.stringify({ vulnerabilities: {} }) })).toEqual({ isKnown: true, problems: [] });
});

test.each([
  ['{"message":"405 Method Not Allowed"}', '405'],
  ['', 'no report'],
  ['<html>', 'no report'],
  ['[]', 'no'],
])('where the registry cannot be asked nothing is known: %s', (text, reason) =>
  expect(readAdvice({ text })).toEqual({ isKnown: false, reason: expect.stringContaining(reason) }),
);
