import { expect, test } from 'vitest';
import { longhaul } from './longhaul.ts';

test('--help says what it is, what it can do, and how it answers', async () => {
  const { code, stdout, stderr } = await longhaul({ args: ['--help'] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const heading of ['Usage: longhaul', 'Commands:', 'Options:', 'Examples:', 'Exit codes:', 'Settings']) {
    expect(stdout).toContain(heading);
  }
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

test('--version prints the version and nothing else', async () => {
  const { code, stdout } = await longhaul({ args: ['--version'] });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('an unknown command is answered with the likely one and exit code 2', async () => {
  expect(await longhaul({ args: ['chekc'] })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'longhaul: Unknown command "chekc". Did you mean check?\n  Run `longhaul --help` for usage.\n',
  });
});
