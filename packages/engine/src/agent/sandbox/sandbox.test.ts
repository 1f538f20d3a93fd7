import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { blockedWriteNote } from '../tools/bash.ts';
import { folderWith, toolsIn } from '../tools/tools.fixture.ts';
import { openSandbox, type SandboxSettings, seatbelt } from './sandbox.ts';

const usual: SandboxSettings = { mode: 'auto', network: true, writable: [] };

/** Commands in the sandbox have a separate /tmp. */
function outsideOfTmp(files: Readonly<Record<string, string>>): string {
  const place = process.cwd().startsWith('/tmp/') ? homedir() : join(process.cwd(), 'node_modules');
  const folder = mkdtempSync(join(place, '.longhaul-sandbox-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeAll({ folder, files });
  return folder;
}

function writeAll({ folder, files }: { readonly folder: string; readonly files: Readonly<Record<string, string>> }) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

function boxIn(of: { readonly files?: Record<string, string>; readonly settings?: Partial<SandboxSettings> } = {}) {
  const all = outsideOfTmp({
    'home/.ssh/id_rsa': 'PRIVATE',
    'home/.npmrc': 'TOKEN',
    'home/notes': 'n',
    'home/cache/a': '',
  });
  const [root, home] = [join(all, 'work'), join(all, 'home')];
  writeAll({ folder: root, files: { a: 'x', ...of.files } });
  const state = openSandbox({ settings: { ...usual, ...of.settings }, root, home, env: process.env });
  const tools = toolsIn({ cwd: root, home, sandbox: state.sandbox });
  const say = async (...call: Parameters<typeof tools.say>) =>
    (await tools.say(...call)).replace(/\nCommand exited with code 0$/, '');
  return { root, home, ...tools, say };
}

const { sandbox: here, missing } = openSandbox({
  settings: usual,
  root: '/nowhere',
  home: '/nowhere',
  env: process.env,
});
if (!here) console.warn(`The tests of the sandbox are skipped: ${missing}`);

describe.skipIf(here?.name !== 'bubblewrap')('a command in the sandbox', () => {
  test('can write to the workspace and /tmp, and nothing else', async () => {
    const { say, root, home } = boxIn();
    expect(await say('bash', { command: 'echo y > b; cat a b; echo t > /tmp/t && cat /tmp/t' })).toBe('xy\nt');
    expect(readFileSync(join(root, 'b'), 'utf8')).toBe('y\n');
    // The next command has the same /tmp, the machine does not.
    expect(await say('bash', { command: 'cat /tmp/t; rm /tmp/t' })).toBe('t');
    const blocked = await say('bash', { command: `echo y > ${home}/notes` });
    expect(blocked).toContain(`The sandbox blocked a write to ${home}/notes`);
    expect(blocked).toContain('sandbox.writable');
    expect(readFileSync(join(home, 'notes'), 'utf8')).toBe('n');
    expect(await say('bash', { command: `rm -rf ${home}` })).toMatch(/Read-only file system/);
    expect(await say('bash', { command: 'node -e \'require("fs").writeFileSync("/etc/x", "")\'' })).toContain(
      'a write to /etc/x',
    );
  });

  test('cannot read secret files, neither in the workspace nor in the home folder', async () => {
    const { say, home } = boxIn({ files: { '.env': 'KEY=1', 'sub/server.pem': 'PEM', 'sub/b': 'b' } });
    expect(await say('bash', { command: `cat .env sub/server.pem ${home}/.npmrc; ls ${home}/.ssh; cat sub/b` })).toBe(
      'b',
    );
    expect(await say('bash', { command: 'echo x > .env; cat .e*' })).not.toContain('KEY=1');
  });

  test('can commit, but cannot change hooks or settings of git', async () => {
    const { say, root } = boxIn();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root, stdio: 'ignore' });
    git('init', '-q');
    git('config', 'user.email', 'a@b.example');
    git('config', 'user.name', 'a');
    expect(await say('bash', { command: 'git add a && git commit -qm x && git log --oneline | wc -l' })).toBe('1');
    expect(await say('bash', { command: 'echo x > .git/hooks/pre-commit' })).toMatch(/Read-only/);
    expect(await say('bash', { command: 'git config core.pager x' })).toMatch(/code \d/);
    expect(await say('bash', { command: 'mv .git/hooks .git/h; rm -rf .git/config' })).toMatch(/code \d/);
    expect(existsSync(join(root, '.git/hooks/pre-commit'))).toBe(false);
    expect(readFileSync(join(root, '.git/config'), 'utf8')).not.toContain('pager');
  });

  test('can commit in a linked worktree, whose repository is elsewhere', async () => {
    const { say, root } = boxIn();
    const main = outsideOfTmp({ m: '' });
    const git = (...args: string[]) => execFileSync('git', ['-C', main, ...args], { stdio: 'ignore' });
    git('init', '-q', '-b', 'main');
    git('-c', 'user.email=a@b.example', '-c', 'user.name=a', 'commit', '-q', '--allow-empty', '-m', 'x');
    execFileSync('rm', ['-rf', root]);
    git('worktree', 'add', '-q', root, '-b', 'side');
    const commit =
      'git -c user.email=a@b.example -c user.name=a commit -q --allow-empty -m y && git log --oneline | wc -l';
    expect(await say('bash', { command: commit })).toBe('2');
    expect(await say('bash', { command: `echo x > ${main}/.git/hooks/pre-commit` })).toMatch(/Read-only/);
    // A file that only claims to be a worktree gives no access.
    const claimed = outsideOfTmp({ HEAD: '', 'worktrees/w/gitdir': 'elsewhere' });
    writeFileSync(join(root, '.git'), `gitdir: ${claimed}/worktrees/w\n`);
    expect(await say('bash', { command: `touch ${claimed}/x` })).toMatch(/Read-only/);
  });

  test('sees no processes of the agent, and leaves none', async () => {
    const { say } = boxIn();
    const text = await say('bash', {
      command: `ls /proc | grep -c '^[0-9]' ; cat /proc/1/cmdline | tr '\\0' ' '; setsid sleep 7171 & :`,
    });
    expect(Number(text.split('\n')[0])).toBeLessThan(12);
    expect(text).not.toContain('vitest');
    expect(() => execFileSync('pgrep', ['-f', '^sleep 7171$'])).toThrow();
  });

  test('has network access by the setting', async () => {
    const server = createServer((_, answer) => answer.end('here')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const command = `node -e 'fetch("${url}").then(r => r.text()).then(console.log, () => console.log("none"))'`;
    expect(await boxIn().say('bash', { command })).toBe('here');
    expect(await boxIn({ settings: { network: false } }).say('bash', { command })).toBe('none');
  });

  test('can write caches that the settings list', async () => {
    const { say, home } = boxIn({ settings: { writable: ['~/cache', '~/missing'] } });
    expect(await say('bash', { command: `echo 1 > ${home}/cache/a && echo ok` })).toBe('ok');
    expect(readFileSync(join(home, 'cache/a'), 'utf8')).toBe('1\n');
  });

  test('keeps exit codes, timeouts and background commands', async () => {
    const { say } = boxIn();
    expect(await say('bash', { command: 'exit 7' })).toMatch(/code 7$/);
    expect(await say('bash', { command: 'kill -9 $$' })).toMatch(/code 137$/);
    expect(await say('bash', { command: 'sleep 7172', timeout: 1 })).toMatch(/timed out/);
    await say('bash', { command: 'echo up; sleep 7173', background: true });
    for (let tries = 0, seen = ''; tries < 300 && !seen.includes('up'); tries += 1)
      seen = await say('bash_output', { bash_id: 'b1' });
    expect(await say('bash_kill', { bash_id: 'b1' })).toBe('b1 was ended.');
    expect(() => execFileSync('pgrep', ['-f', '^sleep 717[23]$'])).toThrow();
  });

  test('leaves the sandbox only with approval', async () => {
    const { say, tool, home } = boxIn();
    const input = { command: `echo y > ${home}/notes`, outside_sandbox: true };
    expect(await tool('bash').access(input)).toMatchObject({ sandbox: { name: 'bubblewrap', isLeft: true } });
    expect(await tool('bash').access({ command: 'ls' })).toMatchObject({ sandbox: { isLeft: false } });
    await say('bash', input);
    expect(readFileSync(join(home, 'notes'), 'utf8')).toBe('y\n');
  });
});

describe('without a sandbox on this system', () => {
  const probe = () => ({ missing: 'bubblewrap is not installed.' });
  const of = { root: '/p', home: '/h', env: {}, probe };

  test('auto says why, required fails, off does not probe', () => {
    expect(openSandbox({ settings: usual, ...of })).toEqual({ mode: 'auto', missing: 'bubblewrap is not installed.' });
    expect(() => openSandbox({ settings: { ...usual, mode: 'required' }, ...of })).toThrow(
      /sandbox is required.*not installed/,
    );
    expect(openSandbox({ settings: { ...usual, mode: 'off' }, ...of })).toEqual({ mode: 'off' });
  });

  test('a command cannot request what is not available', async () => {
    const { tool } = toolsIn({ cwd: folderWith() });
    expect(await tool('bash').access({ command: 'ls' })).not.toHaveProperty('sandbox');
    expect(JSON.stringify(tool('bash').definition)).not.toContain('outside_sandbox');
  });
});

test('the macOS profile denies writes outside the workspace, and quotes paths', () => {
  const { file, args } = seatbelt({
    program: '/usr/bin/sandbox-exec',
    launch: { file: '/bin/sh', args: ['-c', 'ls'] },
    cwd: '/p',
    root: '/p "x"',
    network: false,
    caches: ['/h/.npm'],
    temporary: '/t',
    scratch: '/s',
    empty: '/s/empty',
    repository: [],
    hiddenFiles: ['/p/.env'],
    hiddenFolders: ['/h/.ssh'],
    readOnly: ['/p/.git/hooks'],
  });
  expect([file, args[0], args.slice(2)]).toEqual(['/usr/bin/sandbox-exec', '-p', ['/bin/sh', '-c', 'ls']]);
  const rules = (args[1] ?? '').split('\n');
  expect(rules.indexOf('(deny file-write*)')).toBeLessThan(
    rules.findIndex((rule) => rule.startsWith('(allow file-write*')),
  );
  expect(args[1]).toContain('(subpath "/p \\"x\\"")');
  expect(rules.slice(4)).toEqual([
    '(deny file-write* (subpath "/p/.git/hooks"))',
    '(deny file-read* file-write* (literal "/p/.env"))',
    '(deny file-read* file-write* (subpath "/h/.ssh"))',
    '(deny network*)',
  ]);
});

test.each([
  [`touch: cannot touch '/etc/x y': Read-only file system`, '/etc/x y'],
  ['/bin/sh: 1: cannot create /etc/x: Read-only file system', '/etc/x'],
  [`Error: EROFS: read-only file system, open '/etc/x'`, '/etc/x'],
  [`OSError: [Errno 30] Read-only file system: '../x'`, '../x'],
])('a blocked write names the path: %s', (text, path) => {
  expect(blockedWriteNote(`before\n${text}\nafter`)).toContain(`a write to ${path}.`);
  expect(blockedWriteNote('all is well')).toBeUndefined();
});
