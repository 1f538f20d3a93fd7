import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFolder } from './checkpoints/folder.ts';
import { refuseLinks } from './refuse-links.ts';
import { openLineFile } from './transcript/line-file.ts';

function project(): string {
  const dir = mkdtempSync(join(tmpdir(), 'longhaul-links-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'elsewhere', 'checkpoints'), { recursive: true });
  writeFileSync(join(dir, 'elsewhere', 'checkpoints', '001-mine.md'), 'mine');
  symlinkSync('elsewhere', join(dir, 'linked'));
  mkdirSync(join(dir, 'here'));
  symlinkSync(join('..', 'elsewhere', 'checkpoints'), join(dir, 'here', 'checkpoints'));
  symlinkSync(join('elsewhere', 'new.jsonl'), join(dir, 'dangling.jsonl'));
  return dir;
}

const isLink = { code: 'is-link' };

test.each(['linked/checkpoints', 'here/checkpoints'])('a folder of checkpoints at %s is not followed', async (path) => {
  const dir = project();
  const folder = openFolder({ path: join(dir, path), now: Date.now });
  await expect(folder.list()).rejects.toMatchObject(isLink);
  await expect(folder.write({ name: 'index.md', text: 'x' })).rejects.toMatchObject(isLink);
  await expect(folder.read('001-mine.md')).rejects.toMatchObject(isLink);
  await expect(folder.remove('001-mine.md')).rejects.toMatchObject(isLink);
  expect(readdirSync(join(dir, 'elsewhere', 'checkpoints'))).toEqual(['001-mine.md']);
});

test('a file of checkpoints that is a link is replaced, not followed', async () => {
  const dir = project();
  const path = join(dir, 'plain');
  mkdirSync(path);
  symlinkSync(join('..', 'elsewhere', 'checkpoints', '001-mine.md'), join(path, 'index.md'));
  const folder = openFolder({ path, now: Date.now });
  await expect(folder.read('index.md')).rejects.toMatchObject(isLink);
  await folder.write({ name: 'index.md', text: 'new' });
  expect(readFileSync(join(dir, 'elsewhere', 'checkpoints', '001-mine.md'), 'utf8')).toBe('mine');
  expect(await folder.read('index.md')).toBe('new');
});

test('a transcript is not written through a link, also where that leads to nothing', async () => {
  const dir = project();
  for (const path of ['dangling.jsonl', 'linked/t.jsonl'])
    await expect(openLineFile(join(dir, path)).put({ at: 0, text: '{}\n' })).rejects.toMatchObject(isLink);
  expect(readdirSync(join(dir, 'elsewhere'))).toEqual(['checkpoints']);
});

test('every folder below the working directory counts, and above it only the last two', async () => {
  const dir = project();
  await expect(refuseLinks({ path: join(dir, 'linked', 'a', 'b', 'c'), base: dir })).rejects.toMatchObject(isLink);
  await refuseLinks({ path: join(dir, 'linked', 'a', 'b', 'c'), base: '/nowhere' });
  await refuseLinks({ path: join(dir, 'here', 'new', 'file'), base: dir });
});
