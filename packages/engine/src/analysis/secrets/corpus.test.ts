import { describe, expect, test } from 'vitest';
import { vendorKeys } from '../../key-shapes/vendor-table.ts';
import { createRandom } from '../../testing/random.ts';
import { secretCorpus } from './corpus.fixture.ts';
import { createMask } from './mask.ts';
import { places } from './places.ts';
import { contextShapes, tokenShapes } from './shapes.fixture.ts';

test('every shape of a secret is masked in every place where agents meet it', () => {
  const mask = createMask();
  const missed = secretCorpus({ random: createRandom(20261116) }).filter(({ text, cores }) => {
    const masked = mask(text);
    return cores.some((core) => masked.includes(core));
  });
  expect(missed.map(({ name }) => name)).toEqual([]);
});

test('there are at least 200 shapes, and every vendor of the table is among them or one like it', () => {
  expect(Object.keys({ ...tokenShapes, ...contextShapes }).length).toBeGreaterThanOrEqual(200);
  expect(vendorKeys.length).toBeGreaterThanOrEqual(100);
});

test('the same private key has the same placeholder in a file, in a diff and in JSON', () => {
  const line = 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gt';
  const key = [`-----BEGIN OPENSSH PRIVATE ${'KEY'}-----`, line, line, `-----END OPENSSH PRIVATE ${'KEY'}-----`];
  const texts = [
    key.join('\n'),
    key.map((part) => `+${part}`).join('\n'),
    key.map((part, index) => `id_ed25519:${index + 1}:${part}`).join('\n'),
    JSON.stringify(key.join('\n')),
  ];
  const mask = createMask();
  const placeholders = texts.map((text) => /\[secret:[0-9a-f]{6}\]/.exec(mask(text))?.[0]);
  expect(new Set(placeholders).size).toBe(1);
  expect(placeholders[0]).toBeDefined();
});

test('text about private keys is left as it is', () => {
  const about = `if (!pem.startsWith('-----BEGIN PRIVATE ${'KEY'}-----') || !pem.endsWith('-----END PRIVATE ${'KEY'}-----')) throw bad;`;
  expect(createMask()(about)).toBe(about);
});

describe('time is linear', () => {
  test.each([
    ...vendorKeys.map(({ vendor, body }) => [vendor, body] as const),
    ...places.map(({ pattern }) => [pattern.source.slice(0, 40), pattern] as const),
  ])('every repetition of a pattern has a bound: %s', (_, { source }) => {
    const outsideClasses = source
      .replace(/\\./g, 'x')
      .replace(/\[[^\]]*\]/g, 'x')
      .replace(/\(\?/g, '(');
    expect(outsideClasses).not.toMatch(/[*+]|\{\d+,\}/);
  });
});
