import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandEnvironment } from './create-tools.ts';
import { outcomeKinds } from './outcome-kinds.fixture.ts';
import { folderWith, textOf, toolsIn } from './tools.fixture.ts';

const isAlive = (mark: string) => {
  try {
    return execFileSync('pgrep', ['-f', mark]).toString().trim() !== '';
  } catch {
    return false;
  }
};

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isSo(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isSo()).toBe(true);
}

describe('a command', () => {
  test('returns its output on both streams, and its exit code when it fails', async () => {
    const { call, say } = toolsIn({ cwd: folderWith({ a: '' }) });
    expect(await say('bash', { command: 'ls; pwd >/dev/null' })).toBe('a');
    expect(await call('bash', { command: 'echo out; echo err >&2; exit 3' })).toEqual({
      content: [{ type: 'text', origin: 'tool', text: expect.stringMatching(/out\nerr\nCommand exited with code 3$/) }],
      details: { exit: 3, chars: 8 },
      isError: true,
    });
    expect(await say('bash', { command: 'kill -9 $$' })).toMatch(/Command exited with code 137$/);
    expect(await say('bash', { command: 'true' })).toBe('(no output)');
  });

  test('has no input, and a change of folder does not persist', async () => {
    const cwd = folderWith({ 'sub/b': '' });
    const { say } = toolsIn({ cwd });
    expect(await say('bash', { command: 'cat; echo end' })).toBe('end');
    await say('bash', { command: 'cd sub' });
    expect(await say('bash', { command: 'ls' })).toBe('sub');
    expect(await say('bash', { command: 'ls', workdir: 'sub' })).toBe('b');
    expect(await say('bash', { command: 'ls', workdir: 'nope' })).toMatch(/is not a folder/);
  });

  test('streams its output, without terminal sequences', async () => {
    const { tool } = toolsIn({ cwd: folderWith() });
    const seen: string[] = [];
    const command = `printf '\\033[31mred\\033[0m'; sleep 0.05; printf '\\033]0;ti'; sleep 0.05; printf 'tle\\007 10%%\\r100%%\\n'`;
    const onOutput = (text: string) => void seen.push(text);
    const outcome = await tool('bash').run({
      input: { command },
      callId: 'c',
      signal: new AbortController().signal,
      onOutput,
    });
    expect(textOf(outcome)).toBe('red100%');
    expect(seen.join('')).toBe('red100%\n');
    expect(seen.length).toBeGreaterThan(1);
  });

  test.each([
    ['a job', 'sleep 7151 & echo started'],
    ['a session of its own', 'setsid sleep 7151 & echo started'],
    ['a double fork', `(setsid sh -c 'sleep 7151 & :' &) ; echo started`],
    ['a job without output', 'nohup setsid sleep 7151 >/dev/null 2>&1 & echo started'],
  ])('ends what it leaves running: %s', async (_, command) => {
    const { say } = toolsIn({ cwd: folderWith() });
    expect(await say('bash', { command })).toBe(
      'started\n[It left processes running; they were ended. Use background for that.]',
    );
    expect(isAlive('sleep 7151')).toBe(false);
  });

  test('a background command and everything it started end with the session', async () => {
    const { say, tools } = toolsIn({ cwd: folderWith() });
    await say('bash', { command: `setsid sh -c 'sleep 7150 & sleep 7150' & echo up`, background: true });
    expect(await say('bash_output', { bash_id: 'b1', wait: 30 })).toMatch(/up/);
    await until(() => isAlive('sleep 7150'));
    await Promise.all(tools.map((tool) => tool.close?.()));
    expect(isAlive('sleep 7150')).toBe(false);
  });

  test.each([
    ['', /The command is empty/],
    ['a\0b', /NUL/],
  ])('%j is rejected', async (command, sentence) => {
    expect(await toolsIn({ cwd: folderWith() }).say('bash', { command })).toMatch(sentence);
  });
});

describe('a command that does not end', () => {
  const family = (mark: number) =>
    `(sleep ${mark} & sleep ${mark}) & setsid sh -c 'sleep ${mark}; :' & trap '' TERM; echo begun; sleep ${mark}`;

  test('is ended at its timeout, with children, grandchildren and those that left its group', async () => {
    const text = await toolsIn({ cwd: folderWith() }).say('bash', { command: family(7152), timeout: 1 });
    expect(text).toBe('begun\nCommand timed out after 1 seconds and was ended with everything it had started.');
    await until(() => !isAlive('sleep 7152'));
  });

  test('is ended on abort', async () => {
    const { call } = toolsIn({ cwd: folderWith() });
    const giveUp = new AbortController();
    const running = call('bash', { command: family(7153) }, giveUp.signal);
    await until(() => isAlive('sleep 7153'));
    giveUp.abort();
    expect(textOf(await running)).toMatch(/Command aborted$/);
    await until(() => !isAlive('sleep 7153'));
    expect(textOf(await call('bash', { command: 'sleep 7153' }, AbortSignal.abort()))).toMatch(/Command aborted$/);
  });

  test('that restarts itself repeatedly is ended too', async () => {
    // Bounded in depth and number, so that a failing test does not exhaust the machine.
    const command = 'f() { [ $1 -gt 5 ] && exec sleep 7154; f $(($1 + 1)) & f $(($1 + 1)) & wait; }; f 1';
    expect(await toolsIn({ cwd: folderWith() }).say('bash', { command, timeout: 1 })).toMatch(
      /timed out after 1 seconds/,
    );
    await until(() => !isAlive('sleep 7154'));
  });
});

describe('a large output', () => {
  test('is returned as head and tail, and the rest is in a file that read and grep can access', async () => {
    const { call, say, tool } = toolsIn({ cwd: folderWith() });
    const outcome = await call('bash', { command: 'seq 1 100000' });
    const text = textOf(outcome);
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^1\n2\n/);
    expect(text).toMatch(/\n99999\n100000$/);
    const [, file = ''] = /all of it is in (\S+);/.exec(text) ?? [];
    expect(outcome.details).toMatchObject({ exit: 0, file });
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(await tool('read').access({ file_path: file })).toMatchObject({ isOutside: false });
    expect(await say('read', { file_path: file, offset: 50_000, limit: 1 })).toMatch(/^50000\t50000\n/);
    expect(await say('grep', { pattern: '^77777$', path: file })).toMatch(/:77777:77777$/);
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(100_001);
  });

  test('of hundreds of megabytes takes bounded memory and bounded disk', async () => {
    const { call } = toolsIn({ cwd: folderWith() });
    const before = process.memoryUsage.rss();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss() - before);
    }, 20);
    const outcome = await call('bash', { command: `head -c 300000000 /dev/zero | tr '\\0' 'x'` });
    clearInterval(watch);
    expect(outcome.details).toMatchObject({ exit: 0, chars: 300_000_000 });
    expect(textOf(outcome)).toMatch(/299970000 of 300000000 characters in 0 lines left out; its first 32 MB are in/);
    const { file } = outcome.details as { file: string };
    expect(statSync(file).size).toBe(32 * 1024 * 1024);
    expect(most).toBeLessThan(150_000_000);
  });

  test('that ends in a failure still says so at its end', async () => {
    expect(await toolsIn({ cwd: folderWith() }).say('bash', { command: 'seq 1 50000; exit 2' })).toMatch(
      /50000\nCommand exited with code 2$/,
    );
  });

  test('files of an earlier run in the same scratch folder stay', async () => {
    const scratch = folderWith();
    const files = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      const { call, tools } = toolsIn({ cwd: folderWith(), scratch });
      files.add(
        String(
          (await call('bash', { command: 'seq 1 50000' }).then(({ details }) => details as { file: string })).file,
        ),
      );
      await Promise.all(tools.map((tool) => tool.close?.()));
    }
    expect([...files].map((file) => existsSync(file))).toEqual([true, true]);
  });
});

describe('in the background', () => {
  test('a command is read, awaited and ended', async () => {
    const { say } = toolsIn({ cwd: folderWith() });
    expect(await say('bash', { command: 'echo one; sleep 0.3; echo two; sleep 7155', background: true })).toBe(
      'Command running in background with ID: b1',
    );
    let seen = '';
    for (let tries = 0; tries < 500 && !seen.includes('two'); tries += 1) {
      seen += await say('bash_output', { bash_id: 'b1' });
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(seen.replaceAll(/\(Nothing new\.\)|\[b1 is still running\.\]|\n/g, '')).toBe('onetwo');
    expect(await say('bash_output', { bash_id: 'b1' })).toBe('(Nothing new.)\n[b1 is still running.]');
    expect(await say('bash_kill', { bash_id: 'b1' })).toBe('b1 was ended.');
    expect(await say('bash_kill', { bash_id: 'b1' })).toBe('b1 had already ended.');
    await until(() => !isAlive('sleep 7155'));
    await say('bash', { command: 'sleep 0.1; echo done; exit 4', background: true });
    expect(await say('bash_output', { bash_id: 'b2', wait: 30 })).toBe('done\nCommand exited with code 4');
    expect(await say('bash_output', { bash_id: 'b9' })).toMatch(/No background command "b9"/);
  });

  test('everything ends when the tools are closed, and the scratch folder is removed', async () => {
    const { say, call, tools } = toolsIn({ cwd: folderWith() });
    const { file } = (await call('bash', { command: 'seq 1 50000' })).details as { file: string };
    await say('bash', { command: 'sleep 7156', background: true });
    await until(() => isAlive('sleep 7156'));
    await Promise.all(tools.map((tool) => tool.close?.()));
    await until(() => !isAlive('sleep 7156'));
    expect(existsSync(join(file, '..'))).toBe(false);
  });
});

test('commands get the environment without model keys', async () => {
  const env = {
    ...process.env,
    ANTHROPIC_API_KEY: 'k1',
    OPENAI_API_KEY: 'k2',
    GEMINI_API_KEY: 'k3',
    MY_MODEL: `sk-ant-${'a1'.repeat(20)}`,
    OTHER_NAME: 'configured-value-1',
    GITHUB_TOKEN: 'ghp_mine',
    OPENROUTER_API_KEY: 'k4',
  };
  const { say } = toolsIn({
    cwd: folderWith(),
    env,
    secrets: ['configured-value-1'],
    allowEnv: ['OPENROUTER_API_KEY'],
  });
  const text = await say('bash', { command: 'env' });
  for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'MY_MODEL', 'OTHER_NAME'])
    expect(text).not.toContain(name);
  for (const name of ['PATH=', 'GITHUB_TOKEN=ghp_mine', 'OPENROUTER_API_KEY=k4', 'TERM=dumb'])
    expect(text).toContain(name);
  expect(commandEnvironment({ env: { A: undefined, B: '1' } })).not.toHaveProperty('A');
});

test('the engine recognizes the outcomes of these tools', async () => {
  const cwd = folderWith({ 'a.ts': 'x' });
  const { call } = toolsIn({ cwd });
  expect(
    await outcomeKinds({
      call,
      calls: [
        ['read', { file_path: 'a.ts' }],
        ['edit', { file_path: 'a.ts', old_string: 'x', new_string: 'y' }],
        ['edit', { file_path: 'a.ts', old_string: 'nope', new_string: 'y' }],
        ['write', { file_path: 'b.md', content: '- [ ] step\n' }],
        ['todo', { todos: [{ content: 'Port the parser', status: 'in_progress' }] }],
        ['bash', { command: 'npm --version' }],
        ['bash', { command: 'false' }],
        ['bash', { command: 'sleep 7157', background: true }],
        ['bash', { command: 'sleep 7158', background: true }],
        ['bash_kill', { bash_id: 'b1' }],
      ],
    }),
  ).toMatchObject({
    tasks: [
      { list: 'b.md', text: 'step', status: 'open' },
      { list: 'todo', text: 'Port the parser', status: 'active' },
    ],
    commands: [
      { command: 'npm --version', state: 'ok', exit: 0 },
      { command: 'false', state: 'failed', exit: 1 },
      { command: 'sleep 7157', state: 'running' },
      { command: 'sleep 7158', state: 'running' },
    ],
    files: [{ path: 'a.ts', read: 2, changed: 3 }, { path: 'b.md' }],
    processes: [{ id: 'b2', command: 'sleep 7158' }],
  });
});
