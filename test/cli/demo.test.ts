import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, environment, folder, longhaul } from './longhaul.ts';

/** A folder for temporary files of one test, so that it can be seen what is left there. */
function temporary(): { readonly cwd: string; readonly tmp: string } {
  const cwd = folder();
  const tmp = join(cwd, 'tmp');
  mkdirSync(tmp);
  return { cwd, tmp };
}

test('the demo outgrows its window three times, is killed, goes on, and loses nothing', {
  timeout: 240_000,
}, async () => {
  const { cwd, tmp } = temporary();
  const { code, stdout, stderr } = await longhaul({ args: ['demo', '--json'], cwd, env: { TMPDIR: tmp } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const demo = JSON.parse(stdout);
  expect(demo).toMatchObject({
    window: 32_000,
    waits: 0,
    crash: { isSound: true, during: expect.stringContaining('node test.mjs') },
    undo: { isExact: true },
    branch: { isExact: true },
    judged: { rejected: 0 },
  });
  expect(demo.compactions).toBeGreaterThanOrEqual(3);
  expect(demo.crash.found).toBe(demo.crash.acknowledged);
  expect(demo.crash.acknowledged).toBeGreaterThan(20);
  expect(demo.undo.before).toBeGreaterThan(demo.undo.sent);
  expect(demo.facts.inContext + demo.facts.byRecall).toBe(demo.facts.planted);
  expect(demo.facts.planted).toBeGreaterThan(30);
  // Each epoch has to be written once; everything else is read.
  expect(demo.cacheHitRate).toBeGreaterThan(0.8);
  expect(readdirSync(tmp).filter((name) => name.startsWith('longhaul'))).toEqual([]);
});

test.skipIf(process.platform === 'win32')('Ctrl-C ends it and takes its folder away', { timeout: 60_000 }, async () => {
  const { cwd, tmp } = temporary();
  const [file, ...first] = command;
  const child = spawn(file, [...first, 'demo'], {
    cwd,
    env: { ...environment({ home: cwd }), TMPDIR: tmp },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (text.includes('node test.mjs')) child.kill('SIGINT');
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code).toBe(130);
  expect(stdout).toContain('32,000 tokens');
  // Not a terminal: no colors.
  expect(stdout).not.toContain('\u001b');
  expect(stderr).toContain('the demo was stopped');
  expect(readdirSync(tmp).filter((name) => name.startsWith('longhaul'))).toEqual([]);
});
