import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, longhaul, makePipe } from './longhaul.ts';
import { agentWorld } from './provider.ts';

// A command that waited for a pipe would never end, and its test would fail by the time limit.
describe.skipIf(process.platform === 'win32')('a pipe or a device in the place of a file is never waited for', () => {
  test.each([[['check', 'pipe']], [['count', 'pipe']], [['import', 'pipe']], [['check', '/dev/zero']]])(
    '%j',
    async (args) => {
      const cwd = folder();
      makePipe({ path: join(cwd, 'pipe') });
      const { code, stderr } = await longhaul({ args, cwd });
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/pipe|device|not a file|no file/);
    },
  );

  test('among files that are counted or imported by folder it is left out', async () => {
    const cwd = folder();
    for (const name of ['.gitignore', 'a.txt', 'b.jsonl']) makePipe({ path: join(cwd, name) });
    expect((await longhaul({ args: ['count', '.'], cwd })).stderr).not.toContain('Waiting');
  });

  test('as a settings file of the project it is an error with its name', async () => {
    const cwd = folder();
    makePipe({ path: join(cwd, 'longhaul.config.json') });
    const { code, stderr } = await longhaul({ args: ['config', 'show'], cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('longhaul.config.json is a pipe, a device or a socket, not a file.');
  });

  test('as an instruction file or a skill it is passed over', async () => {
    const { call, cwd } = await agentWorld({});
    makePipe({ path: join(cwd, 'AGENTS.md') });
    makePipe({ path: join(cwd, 'CLAUDE.md') });
    for (const root of ['.claude', '.longhaul', '.agents']) {
      mkdirSync(join(cwd, root, 'skills', 'one'), { recursive: true });
      makePipe({ path: join(cwd, root, 'skills', 'one', 'SKILL.md') });
    }
    expect((await call(['-p', 'Hi.'], '')).code).toBe(0);
  });

  test('in place of a session’s log it is damage that doctor names, and other sessions are listed', async () => {
    const { call, cwd } = await agentWorld({});
    await call(['-p', 'Hi.'], '');
    const store = join(cwd, 'store', 'sessions', '0190a1b2-0000-7000-8000-000000000000');
    mkdirSync(store, { recursive: true });
    makePipe({ path: join(store, 'log.sqlite') });
    const listed = await call(['sessions', '--json']);
    expect(JSON.parse(listed.stdout).sessions.length).toBeGreaterThan(0);
    expect((await call(['doctor'])).code).not.toBe(0);
    rmSync(store, { recursive: true });
  });
});
