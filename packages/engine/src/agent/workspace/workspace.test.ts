import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, toolsIn } from '../tools/tools.fixture.ts';
import { withFile } from './open.ts';
import { createWorkspace } from './workspace.ts';

const at = (cwd: string) => createWorkspace({ cwd, home: '/home/nobody' });

describe('resolving a path', () => {
  test('inside, in any spelling', async () => {
    const cwd = folderWith({ 'src/a.ts': '' });
    for (const path of ['src/a.ts', './src/../src/a.ts', join(cwd, 'src/a.ts'), 'src//a.ts'])
      expect(await at(cwd).resolve(path)).toEqual({ path: join(cwd, 'src/a.ts'), isOutside: false, shown: 'src/a.ts' });
  });

  test('outside, by `..`, absolute, from home, by links and dangling links', async () => {
    const outside = folderWith({ secret: 'x' });
    const cwd = folderWith();
    symlinkSync(outside, join(cwd, 'folder'));
    symlinkSync(join(outside, 'secret'), join(cwd, 'file'));
    symlinkSync(join(outside, 'not-there-yet'), join(cwd, 'dangling'));
    symlinkSync('folder', join(cwd, 'link-to-link'));
    const paths = ['..', '../x', outside, '~/x', 'folder', 'folder/secret', 'folder/new/deep', 'file', 'dangling'];
    for (const path of [...paths, 'link-to-link/secret', 'folder/../../etc'])
      expect([path, (await at(cwd).resolve(path)).isOutside]).toEqual([path, true]);
    expect((await at(cwd).resolve('dangling')).path).toBe(join(outside, 'not-there-yet'));
  });

  test('a sibling with the same prefix is outside', async () => {
    const both = folderWith({ 'app/a': '', 'app-secrets/a': '', 'app/..hidden/a': '' });
    const workspace = at(join(both, 'app'));
    expect((await workspace.resolve(join(both, 'app-secrets/a'))).isOutside).toBe(true);
    expect((await workspace.resolve('..hidden/a')).isOutside).toBe(false);
  });

  test('a workspace that is a link resolves to its target', async () => {
    const real = folderWith({ a: '' });
    const cwd = join(folderWith(), 'link');
    symlinkSync(real, cwd);
    expect(await at(cwd).resolve(join(cwd, 'a'))).toMatchObject({ path: join(real, 'a'), isOutside: false });
  });

  test.each([
    ['', /empty/],
    ['a\0b', /NUL/],
    ['x'.repeat(5000), /longer than/],
    [`${'x'.repeat(300)}/y`, /too long/],
    ['circle', /circle|leads to itself/],
    ['/proc/self/environ', /is virtual/],
    ['/dev/zero', /is virtual/],
    ['/proc/self/fd/0', /is virtual/],
  ])('rejects %j with a sentence', async (path, sentence) => {
    const cwd = folderWith();
    symlinkSync('circle', join(cwd, 'circle'));
    await expect(at(cwd).resolve(path)).rejects.toThrow(sentence);
  });

  test('paths through /proc resolve to their target', async () => {
    const cwd = folderWith({ a: '' });
    symlinkSync('/proc/self/root/etc/passwd', join(cwd, 'sly'));
    const place = await at(cwd)
      .resolve('sly')
      .catch(() => ({ isOutside: true }));
    expect(place.isOutside).toBe(true);
  });
});

describe('opening', () => {
  test('never blocks on a pipe and never touches a device', async () => {
    const cwd = folderWith();
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    await expect(withFile({ path: join(cwd, 'pipe'), work: async () => 1 })).rejects.toThrow(/a pipe, not a file/);
    await expect(withFile({ path: '/dev/tty', work: async () => 1 })).rejects.toThrow(
      /device|does not exist|is no file/,
    );
    await expect(withFile({ path: cwd, work: async () => 1 })).rejects.toThrow(/a folder, not a file/);
  });

  test('a link that replaced a file is detected', async () => {
    const outside = folderWith({ secret: 'key' });
    const cwd = folderWith({ a: 'mine' });
    const { path } = await at(cwd).resolve('a');
    renameSync(path, join(cwd, 'b'));
    symlinkSync(join(outside, 'secret'), path);
    await expect(withFile({ path, work: async ({ handle }) => await handle.readFile() })).rejects.toThrow(/link/);
  });

  test('a folder that became a link after the decision fails, for reading and writing', async () => {
    const outside = folderWith({ 'a.txt': 'key' });
    const cwd = folderWith({ 'sub/a.txt': 'mine' });
    const { tool } = toolsIn({ cwd });
    const signal = new AbortController().signal;
    const calls = [
      ['read', { file_path: 'sub/a.txt' }],
      ['write', { file_path: 'sub/a.txt', content: 'owned' }],
      ['write', { file_path: 'sub/new.txt', content: 'owned' }],
      ['edit', { file_path: 'sub/a.txt', old_string: 'key', new_string: 'owned' }],
    ] as const;
    const decided = await Promise.all(calls.map(([name, input]) => tool(name).access(input)));
    expect(decided.every((access) => 'isOutside' in access && !access.isOutside)).toBe(true);
    renameSync(join(cwd, 'sub'), join(cwd, 'moved'));
    symlinkSync(outside, join(cwd, 'sub'));
    for (const [name, input] of calls) {
      const outcome = await tool(name).run({ input, callId: 'c', signal });
      expect(JSON.stringify(outcome)).toMatch(/changed while it was opened/);
      expect(outcome.isError).toBe(true);
    }
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('key');
  });

  test('writing through a link keeps the link, and its target is checked', async () => {
    const outside = folderWith({ 'a.txt': 'theirs' });
    const cwd = folderWith();
    symlinkSync(join(outside, 'a.txt'), join(cwd, 'a.txt'));
    const access = await toolsIn({ cwd }).tool('write').access({ file_path: 'a.txt', content: 'x' });
    expect(access).toEqual({ kind: 'write', paths: [join(outside, 'a.txt')], isOutside: true });
  });

  test('known limit: a hard link is an ordinary file', async () => {
    const outside = folderWith({ a: 'theirs' });
    const cwd = folderWith();
    linkSync(join(outside, 'a'), join(cwd, 'a'));
    expect((await at(cwd).resolve('a')).isOutside).toBe(false);
  });
});

test('a link that changes constantly never reveals or changes anything outside', async () => {
  const outside = folderWith({ 'a.txt': 'their key' });
  const cwd = folderWith({ 'real/a.txt': 'mine' });
  const link = join(cwd, 'sub');
  let isOver = false;
  const turning = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      const draft = join(cwd, `draft-${turn}`);
      await symlink(turn % 2 ? outside : join(cwd, 'real'), draft);
      await rename(draft, link);
    }
  })();
  const { tool } = toolsIn({ cwd });
  const signal = new AbortController().signal;
  const seen = { inside: 0, outside: 0 };
  for (let round = 0; round < 300; round += 1) {
    const [name, input] =
      round % 3 === 0
        ? (['write', { file_path: 'sub/a.txt', content: 'mine' }] as const)
        : (['read', { file_path: 'sub/a.txt' }] as const);
    const access = await tool(name).access(input);
    const isInside = 'isOutside' in access && !access.isOutside;
    seen[isInside ? 'inside' : 'outside'] += 1;
    // Only what is inside is allowed.
    if (isInside) expect(JSON.stringify(await tool(name).run({ input, callId: 'c', signal }))).not.toContain('their');
  }
  isOver = true;
  await turning;
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('their key');
  expect(seen.inside).toBeGreaterThan(10);
});

test('the scratch folder counts as inside, its siblings do not', async () => {
  const all = folderWith();
  for (const name of ['work', 'scratch']) mkdirSync(join(all, name));
  writeFileSync(join(all, 'scratch', 'out.txt'), 'x');
  const workspace = createWorkspace({ cwd: join(all, 'work'), home: '/', scratch: join(all, 'scratch') });
  expect((await workspace.resolve(join(all, 'scratch/out.txt'))).isOutside).toBe(false);
  expect((await workspace.resolve(join(all, 'scratch/../other'))).isOutside).toBe(true);
});
