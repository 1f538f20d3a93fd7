import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoopbackRequest, LoopbackSpoken } from 'longhaul/testing';
import { describe, expect, test } from 'vitest';
import { command, folder, longhaul } from './longhaul.ts';
import { agentWorld, resultsIn } from './provider.ts';

const steps =
  (...answers: readonly LoopbackSpoken[]) =>
  ({ body }: LoopbackRequest): LoopbackSpoken =>
    answers[resultsIn(body)] ?? { text: 'Done.' };

const write = (file_path: string) => ({ name: 'write', arguments: { file_path, content: 'const answer = 42;\n' } });

describe('--mode', () => {
  test('auto-edit changes files and denies commands, read-only denies both', async () => {
    const run = { name: 'bash', arguments: { command: 'touch ran' } };
    const { call, cwd } = await agentWorld({ script: steps({ toolCalls: [write('a.ts'), run] }) });
    expect((await call(['-p', 'Go.', '--mode', 'read-only'])).code).toBe(0);
    expect(existsSync(join(cwd, 'a.ts'))).toBe(false);
    expect((await call(['-p', 'Go.', '--mode', 'auto-edit'])).code).toBe(3);
    expect([existsSync(join(cwd, 'a.ts')), existsSync(join(cwd, 'ran'))]).toEqual([true, false]);
    expect(await call(['-p', 'Go.', '--yes', '--mode', 'read-only'])).toMatchObject({ code: 2 });
  });
});

test('--add-dir adds a folder to the workspace', async () => {
  const other = folder();
  const { call } = await agentWorld({ script: steps({ toolCalls: [write(join(other, 'b.ts'))] }) });
  expect((await call(['-p', 'Go.', '--mode', 'auto-edit', '--add-dir', other])).code).toBe(0);
  expect(existsSync(join(other, 'b.ts'))).toBe(true);
  expect(await call(['-p', 'Go.', '--add-dir', 'nowhere'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not exist'),
  });
});

test.skipIf(!existsSync('/usr/bin/script'))(
  'on a terminal the question shows the diff, and an answer is remembered for the folder',
  async () => {
    const { cwd, env } = await agentWorld({ script: steps({ toolCalls: [write('a.ts')] }) });
    writeFileSync(join(cwd, 'a.ts'), 'const answer = 41;\n');
    mkdirSync(join(cwd, 'no-home'));
    const line = [...command, '-p', 'Go.', '--store', 'store'].map((word) => `'${word}'`).join(' ');
    const onTerminal = () =>
      longhaul({
        args: ['-qec', line, '/dev/null'],
        cwd,
        env: { ...env, TERM: 'xterm' },
        input: 'f\n',
        program: ['/usr/bin/script'],
      });
    const { code, stdout } = await onTerminal();
    expect(stdout).toMatch(/\| -const answer = 41;\s+\| \+const answer = 42;/);
    expect(stdout).toContain('f = always in this folder');
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'a.ts'), 'utf8')).toBe('const answer = 42;\n');
    expect((await onTerminal()).stdout).not.toContain('Allow it?');
  },
);
