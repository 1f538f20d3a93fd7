import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { LonghaulError } from '../../errors.ts';
import { folderWith, toolsIn } from './tools.fixture.ts';

const files = {
  '.gitignore': 'dist/\n*.log\n',
  'src/a.ts': 'const needle = 1;\n',
  'src/deep/b.ts': 'needle();\n',
  'src/c.md': 'a needle in a hay\n',
  'dist/out.ts': 'needle\n',
  'run.log': 'needle\n',
  '.env': 'KEY=needle\n',
  '.hidden/d.ts': 'needle\n',
  '.git/config': 'needle\n',
};

describe('grep', () => {
  test('returns path, line and text in order, without ignored files and secrets', async () => {
    const { say } = toolsIn({ cwd: folderWith(files) });
    expect(await say('grep', { pattern: 'needle' })).toBe(
      '.hidden/d.ts:1:needle\nsrc/a.ts:1:const needle = 1;\nsrc/c.md:1:a needle in a hay\nsrc/deep/b.ts:1:needle();',
    );
    expect(await say('grep', { pattern: 'needle', glob: '*.ts', path: 'src' })).toBe(
      'src/a.ts:1:const needle = 1;\nsrc/deep/b.ts:1:needle();',
    );
    expect(await say('grep', { pattern: 'needle', glob: 'src/*.ts' })).toBe('src/a.ts:1:const needle = 1;');
    expect(await say('grep', { pattern: 'needle', glob: '*.log' })).toBe('No matches.');
    expect(await say('grep', { pattern: 'NEEDLE()', literal: true, ignore_case: true })).toBe(
      'src/deep/b.ts:1:needle();',
    );
    expect(await say('grep', { pattern: 'needle', path: '.env' })).toBe('.env:1:KEY=needle');
  });

  test('skips files with secrets from any starting folder, unless it was named itself', async () => {
    const cwd = folderWith({
      'a/.config/gh/hosts.yml': 'needle\n',
      'a/.config/app.yml': 'needle\n',
      'a/.docker/config.json': 'needle\n',
      'a/.aws/credentials': 'needle\n',
      'b/.ENV': 'needle\n',
    });
    const { say } = toolsIn({ cwd });
    for (const path of ['.', 'a', 'a/.config', 'a/.docker', 'b', 'a/.config/gh/..']) {
      const found = `${await say('grep', { pattern: 'needle', path })}\n${await say('find', { pattern: '*', path })}`;
      expect(found).not.toMatch(/hosts\.yml|config\.json|credentials|\.ENV/);
    }
    expect(await say('grep', { pattern: 'needle', path: 'a/.config' })).toBe('a/.config/app.yml:1:needle');
    expect(await say('grep', { pattern: 'needle', path: 'a/.aws' })).toBe('a/.aws/credentials:1:needle');
    expect(await say('find', { pattern: '*', path: 'a/.aws' })).toBe('a/.aws/credentials');
  });

  test('skips denied files from within the denied folder too', async () => {
    const cwd = folderWith({ 'secrets/deep/key.txt': 'needle\n' });
    const { say } = toolsIn({ cwd, deny: ['read(secrets/**)'] });
    for (const path of ['secrets', 'secrets/deep', '.']) {
      expect(await say('grep', { pattern: 'needle', path })).toBe('No matches.');
      expect(await say('find', { pattern: '*.txt', path })).toBe('No matches.');
    }
  });

  test('skips denied files although the folder is allowed', async () => {
    const cwd = folderWith({ ...files, 'secrets/key.txt': 'needle\n' });
    const deny = ['read(secrets/**)', 'grep(*/c.md)', 'bash(rm:*)', 'write(src/**)'];
    const { say } = toolsIn({ cwd, deny });
    expect(await say('grep', { pattern: 'needle', glob: '{src,secrets}/*' })).toBe('src/a.ts:1:const needle = 1;');
    expect(await say('find', { pattern: '{key.txt,c.md}' })).toBe('src/c.md');
  });

  test.each(['--files', '-e', '--pre=touch pwned', '-f/etc/passwd', '--'])(
    '%j is a pattern, never an option',
    async (pattern) => {
      const { say } = toolsIn({ cwd: folderWith({ a: `x ${pattern} y\n` }) });
      expect(await say('grep', { pattern, literal: true })).toBe(`a:1:x ${pattern} y`);
      expect(await say('find', { pattern })).toBe('No matches.');
    },
  );

  test('limits its output, and cuts long lines', async () => {
    const cwd = folderWith({ many: 'x\n'.repeat(5000), long: `x${'y'.repeat(100_000)}\n` });
    const { say } = toolsIn({ cwd });
    const text = await say('grep', { pattern: '^x', path: 'many' });
    expect(text.split('\n')).toHaveLength(201);
    expect(text).toMatch(/\[Showing the first 200 lines; there are more\. Narrow the search\.\]$/);
    expect((await say('grep', { pattern: '^xy', path: 'long' })).length).toBeLessThan(800);
    expect(await say('grep', { pattern: 'x', path: 'many', limit: 2 })).toMatch(/^many:1:x\nmany:2:x\n\[Showing/);
  });

  test('does not follow links out, and shows no escape sequences', async () => {
    const outside = folderWith({ secret: 'needle' });
    const cwd = folderWith({ a: '\u001b[31mneedle\u001b]0;t\u0007\n' });
    symlinkSync(outside, join(cwd, 'out'));
    expect(await toolsIn({ cwd }).say('grep', { pattern: 'needle' })).toBe('a:1:needle');
  });

  test('reports an invalid expression, and a missing program', async () => {
    const cwd = folderWith({ a: 'x' });
    expect(await toolsIn({ cwd }).say('grep', { pattern: '(' })).toMatch(/^The search failed: [\s\S]*set literal/);
    const ripgrep = async () => {
      throw new LonghaulError({ code: 'no-ripgrep', message: 'It is not installed.', hint: 'Use bash.' });
    };
    expect(await toolsIn({ cwd, ripgrep }).say('grep', { pattern: 'x' })).toBe('It is not installed. Use bash.');
    expect(await toolsIn({ cwd }).say('grep', { pattern: 'x', path: 'nope' })).toMatch(/nope does not exist/);
  });
});

test('find returns matching paths, sorted', async () => {
  const { say } = toolsIn({ cwd: folderWith(files) });
  expect(await say('find', { pattern: '*.ts' })).toBe('.hidden/d.ts\nsrc/a.ts\nsrc/deep/b.ts');
  expect(await say('find', { pattern: 'src/**/*.{md,ts}' })).toBe('src/a.ts\nsrc/c.md\nsrc/deep/b.ts');
  expect(await say('find', { pattern: '?.ts', path: 'src', limit: 1 })).toMatch(
    /^src\/a\.ts\n\[Showing the first 1 paths/,
  );
  expect(await say('find', { pattern: '*', path: 'src/a.ts' })).toMatch(/is not a folder/);
});

test('ls shows folders, links and sizes', async () => {
  const cwd = folderWith({ 'b/c': '', a: 'four', 'x\u001b[2J': '' });
  symlinkSync('/etc', join(cwd, 'link'));
  const { say } = toolsIn({ cwd });
  expect(await say('ls', {})).toBe('a (4 bytes)\nb/\nlink -> /etc\nx\u241b[2J (0 bytes)');
  expect(await say('ls', { path: 'a' })).toMatch(/is not a folder/);
  expect(await say('ls', { path: 'b/c/d' })).toMatch(/not a folder|does not exist/);
});

test('todo stores the list in the state of the session', async () => {
  const { say, states } = toolsIn({ cwd: folderWith() });
  const todos = [
    { content: 'a', status: 'completed' },
    { content: 'b\nb', status: 'in_progress' },
  ];
  expect(await say('todo', { todos })).toBe('Todo list:\n- [x] a\n- [~] b b');
  expect(states).toEqual([{ todos }]);
  expect(await say('todo', { todos: [{ content: 'a', status: 'soon' }] })).toMatch(/Unknown status "soon"/);
  expect(await say('todo', { todos: 'a' })).toMatch(/must be an array/);
  expect(states).toHaveLength(1);
});

test('a find pattern with exponential backtracking elsewhere terminates', async () => {
  const name = 'a'.repeat(60);
  const { say } = toolsIn({ cwd: folderWith({ [name]: '' }) });
  expect(await say('find', { pattern: `${'*a'.repeat(30)}b` })).toBe('No matches.');
  expect(await say('find', { pattern: `${'{a,aa}'.repeat(30)}b` })).toBe('No matches.');
  expect(await say('find', { pattern: `${'*a'.repeat(30)}*` })).toBe(name);
});

test.skipIf(process.platform === 'win32')('neither grep nor find waits for a pipe', async () => {
  const cwd = folderWith({ a: 'needle\n' });
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  const { say } = toolsIn({ cwd });
  expect(await say('grep', { pattern: 'needle' })).toBe('a:1:needle');
  expect(await say('grep', { pattern: 'needle', path: 'pipe' })).toMatch(/^pipe is a pipe/);
  expect(await say('find', { pattern: '*' })).toBe('a');
});
