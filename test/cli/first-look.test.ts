import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, longhaul } from './longhaul.ts';

test('commands that only read create nothing and say how to begin', async () => {
  const cwd = folder();
  mkdirSync(join(cwd, 'no-home'));
  const calls = [['stats'], ['show', 'last'], ['memory', 'list']];
  const ended = await Promise.all(calls.map((args) => longhaul({ args, cwd })));
  expect(ended.map(({ code }) => code)).toEqual([0, 2, 0]);
  expect(ended[0]?.stdout).toMatch(/^No sessions in .* yet\. Start one with `longhaul -p/);
  expect(ended[1]?.stderr).toContain('The store is empty: start one with');
  expect(readdirSync(join(cwd, 'no-home'))).toEqual([]);
});

test('a client that is not installed is one error, without a word about the gateway', async () => {
  const cwd = folder();
  const { code, stderr } = await longhaul({ args: ['wrap', 'no-such-client'], cwd });
  expect(code).toBe(2);
  expect(stderr).toBe('longhaul: The command "no-such-client" was not found.\n  Install it, or check PATH.\n');
});

test('help and lists fit 60 columns', async () => {
  const cwd = folder();
  const calls = [['--help'], [], ['models']];
  const ended = await Promise.all(calls.map((args) => longhaul({ args, cwd, env: { COLUMNS: '60' } })));
  const long = ended
    .flatMap(({ stdout, stderr }) => `${stdout}${stderr}`.split('\n'))
    .filter((line) => line.length > 60);
  // A word that is longer than a line stays whole.
  expect(long.filter((line) => line.trim().includes(' '))).toEqual([]);
  expect(existsSync(join(cwd, 'no-home'))).toBe(false);
});
