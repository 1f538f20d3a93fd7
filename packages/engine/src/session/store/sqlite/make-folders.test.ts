import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from './index.ts';
import { makeFolders } from './layout.ts';

describe('the folder of a store', () => {
  let root = '';
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'longhaul-folders-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('is made with those above it, for the owner alone, and again without complaint', () => {
    const dir = join(root, 'a/b/c');
    makeFolders(dir);
    makeFolders(dir);
    expect(statSync(dir).mode & 0o777).toBe(0o700);
  });

  it('keeps what was said to its owner, also in a folder that others may enter', async () => {
    const store = await openSqliteStore({ dir: root });
    await store.list();
    await store.search({ text: 'x' });
    await store.close();
    for (const name of ['catalogue.sqlite', 'index.sqlite'])
      expect(statSync(join(root, name)).mode & 0o777).toBe(0o600);
  });

  it('is ignored by git, except for files of the project in it', async () => {
    execFileSync('git', ['init', '-q', root]);
    const dir = join(root, '.longhaul');
    const store = await openSqliteStore({ dir });
    await store.create({ header: { v: 1, id: 's1', createdAt: 1 } });
    await store.list();
    await store.close();
    const untracked = () => execFileSync('git', ['-C', root, 'status', '--short', '-uall'], { encoding: 'utf8' });
    expect(untracked()).toBe('');
    mkdirSync(join(dir, 'commands'));
    writeFileSync(join(dir, 'commands/review.md'), 'Review this.');
    expect(untracked()).toBe('?? .longhaul/commands/review.md\n');
  });

  it('is rejected in one sentence where a file exists', async () => {
    writeFileSync(join(root, 'file'), 'x');
    await expect(openSqliteStore({ dir: join(root, 'file') })).rejects.toMatchObject({ code: 'store-not-a-folder' });
  });

  it.skipIf(!existsSync('/proc/self'))('is refused, not waited for, where the file system takes none', async () => {
    await expect(openSqliteStore({ dir: '/proc/longhaul/store' })).rejects.toMatchObject({
      code: 'store-not-a-folder',
      message: '/proc/longhaul cannot be made a folder for the store: the file system takes no folder there.',
    });
  });

  it('is refused in one sentence where its name is too long', async () => {
    await expect(openSqliteStore({ dir: join(root, 'x'.repeat(300)) })).rejects.toThrow('the name is too long.');
  });
});
