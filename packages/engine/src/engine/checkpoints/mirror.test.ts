import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { begin } from '../fixtures/engine.ts';
import { say } from '../fixtures/messages.ts';
import type { MirrorReport } from './align.ts';
import { openFolder } from './folder.ts';
import { mirrorCheckpoints } from './mirror.ts';

let dir = '';
const path = () => join(dir, 'checkpoints');
const files = async () => (await readdir(path())).sort();

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'longhaul-checkpoints-'));
});
afterEach(() => rm(dir, { recursive: true }));

async function mirrored(given: Partial<Parameters<typeof mirrorCheckpoints>[0]> = {}) {
  const { session, again } = await begin();
  const reports: MirrorReport[] = [];
  const onReport = (report: MirrorReport) => void reports.push(report);
  const mirror = mirrorCheckpoints({ session: session.session, dir, onReport, ...given });
  const titles = ['First steps', 'Second thoughts'];
  const compact = async (title = titles.shift() ?? 'More') => {
    await session.append({ type: 'message', message: say(`It is about ${title}.`) });
    const record = { firstKeptId: null, tokensBefore: 1_000, trigger: 'manual', details: { title } };
    return await session.session.compact({ ...record, summary: `We did it: ${title}.` });
  };
  return { session, again, mirror, compact, reports };
}

describe('a mirror of checkpoints', () => {
  test('cli#3054: has a file for each and a list of all, without being asked each time', async () => {
    const { session, mirror, compact } = await mirrored();
    await compact();
    await compact();
    await mirror.close();
    const [first, second] = await session.checkpoints();
    expect(await files()).toEqual(['001-first-steps.md', '002-second-thoughts.md', 'index.md']);
    const text = await readFile(join(path(), '001-first-steps.md'), 'utf8');
    expect(text).toContain(`# 1. First steps\n`);
    expect(text).toContain(first?.summary);
    const index = await readFile(join(path(), 'index.md'), 'utf8');
    expect(index).toContain('2 checkpoints.');
    expect(index).toContain(`[Second thoughts](002-second-thoughts.md)`);
    expect(index).toContain(`@${second?.handles?.from} to @${second?.handles?.to}`);
  });

  test('makes no folder where there is nothing to put into it', async () => {
    const { mirror } = await mirrored();
    expect(await mirror.align()).toEqual({ count: 0, written: [], removed: [], failures: [], cleanup: [] });
    expect(await readdir(dir)).toEqual([]);
  });

  test('sessions.md 11.10: files past the cut go on rewind and undo, and come again with what they tell of', async () => {
    const { session, mirror, compact } = await mirrored();
    await compact();
    const { leaf } = session.session.head;
    await compact();
    await session.undo();
    await mirror.align();
    expect(await files()).toEqual(['001-first-steps.md', 'index.md']);
    await session.redo();
    await session.session.rewind({ to: leaf });
    expect((await mirror.align()).count).toBe(1);
    await session.session.rewind({ to: null });
    await mirror.align();
    expect(await files()).toEqual(['index.md']);
    await session.undo();
    await session.undo();
    await mirror.align();
    expect(await files()).toEqual(['001-first-steps.md', '002-second-thoughts.md', 'index.md']);
  });

  test('does not touch files that are not its own, whatever their names are', async () => {
    const { session, mirror, compact } = await mirrored();
    await mkdir(path());
    const foreign = { '001-notes.md': 'mine', '002-second-thoughts.md': 'mine too', 'index.html': '', '999-x.md': '' };
    for (const [name, text] of Object.entries(foreign)) await writeFile(join(path(), name), text);
    await symlink(join(path(), '001-notes.md'), join(path(), '500-link.md'));
    await compact();
    await compact();
    const report = await mirror.align();
    await session.session.rewind({ to: null });
    await mirror.align();
    for (const [name, text] of Object.entries(foreign)) expect(await readFile(join(path(), name), 'utf8')).toBe(text);
    expect(report.failures).toEqual([{ file: '002-second-thoughts.md', why: 'a file that is not ours has this name' }]);
    expect(await files()).toEqual([...Object.keys(foreign), '500-link.md', 'index.md'].sort());
  });

  test('leaves a list written by another program alone, and says so', async () => {
    const { mirror, compact } = await mirrored();
    await mkdir(path());
    await writeFile(join(path(), 'index.md'), '# My list\n');
    await compact();
    const { failures } = await mirror.align();
    expect(failures.map(({ file }) => file)).toEqual(['index.md']);
    expect(await readFile(join(path(), 'index.md'), 'utf8')).toBe('# My list\n');
  });

  test('writes nothing anew that is right, mends what was changed, and finds its files after a restart', async () => {
    const { mirror, compact, again } = await mirrored();
    await compact();
    await mirror.close();
    const name = join(path(), '001-first-steps.md');
    const text = await readFile(name, 'utf8');
    const other = mirrorCheckpoints({ session: (await again()).session, dir });
    expect(await other.align()).toMatchObject({ written: [], removed: [] });
    await writeFile(name, `${text}scribbled`);
    expect(await other.align()).toMatchObject({ written: ['001-first-steps.md'] });
    expect(await readFile(name, 'utf8')).toBe(text);
  });

  test('tells what cannot be written apart from what cannot be removed, and never fails the session', async () => {
    const real = openFolder({ path: path(), now: Date.now });
    let isBroken = false;
    const broken = () => Promise.reject(new Error('EROFS: read-only'));
    const folder = {
      ...real,
      write: (input: { name: string; text: string }) => (isBroken ? broken() : real.write(input)),
      remove: (name: string) => (isBroken ? broken() : real.remove(name)),
    };
    const { session, mirror, compact, reports } = await mirrored({ folder });
    await compact();
    await mirror.align();
    isBroken = true;
    expect(await compact()).toMatchObject({ compaction: { type: 'compaction' } });
    const failed = await mirror.align();
    expect(failed).toMatchObject({ failures: [{ file: '002-second-thoughts.md' }, { file: 'index.md' }], cleanup: [] });
    await session.session.rewind({ to: null });
    const late = await mirror.align();
    expect(late).toMatchObject({ count: 0, cleanup: [{ file: '001-first-steps.md', why: 'EROFS: read-only' }] });
    expect(reports.at(-1)).toEqual(late);
    isBroken = false;
    expect(await mirror.align()).toMatchObject({ removed: ['001-first-steps.md'], failures: [], cleanup: [] });
  });

  test('has no secrets in its files', async () => {
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const { mirror, compact } = await mirrored({ secrets: ['correct-horse'] });
    await compact(`Use ${key} for correct-horse.`);
    await mirror.align();
    for (const name of await files()) {
      expect(name).not.toContain('horse');
      const text = await readFile(join(path(), name), 'utf8');
      expect(text).not.toContain(key);
      expect(text).not.toContain('horse');
    }
  });

  test('sweeps away what a killed writer left half written, not what one is writing now', async () => {
    const { mirror, compact } = await mirrored();
    await mkdir(path());
    for (const name of ['.old.longhaul-tmp', '.new.longhaul-tmp']) await writeFile(join(path(), name), '# 1. q');
    await utimes(join(path(), '.old.longhaul-tmp'), 0, 0);
    await compact();
    await mirror.align();
    expect(await files()).toEqual(['.new.longhaul-tmp', '001-first-steps.md', 'index.md']);
  });

  test('a listener that throws stops nothing, and a closed mirror follows no longer', async () => {
    const { mirror, compact } = await mirrored({
      onReport: () => {
        throw new Error('not now');
      },
    });
    await compact();
    await mirror.close();
    await compact();
    expect(await files()).toEqual(['001-first-steps.md', 'index.md']);
  });

  test('of an engine tells each checkpoint as it is written, without what it says', async () => {
    const { session } = await begin();
    const reported: unknown[] = [];
    session.on('checkpoint', (event) => reported.push(event));
    const mirror = session.mirror({ dir });
    await session.append({ type: 'message', message: say('Port the lexer.') });
    const record = { firstKeptId: null, tokensBefore: 9, trigger: 'manual', summary: 'S' };
    const { compaction } = await session.session.compact(record);
    await mirror.close();
    expect(reported).toMatchObject([{ number: 1, title: 'Port the lexer', entry: compaction.id }]);
    expect(await files()).toEqual(['001-port-the-lexer.md', 'index.md']);
  });
});
