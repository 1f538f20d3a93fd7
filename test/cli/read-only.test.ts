import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { world } from './world.ts';

/** Only root can mount; elsewhere this is skipped. */
const canMount =
  process.platform === 'linux' &&
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0;
if (!canMount) console.log('read-only: skipped, since no file system can be mounted here');

/** A store on a file system of its own, with one session. */
async function mounted() {
  const given = world();
  const store = join(given.cwd, 'store');
  mkdirSync(store, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', store]);
  onTestFinished(() => void execFileSync('umount', [store]));
  given.file('chat.json', JSON.stringify([{ role: 'user', content: 'The words to find.' }]));
  const { code, stdout } = await given.call('import', 'chat.json');
  expect(code).toBe(0);
  return { ...given, store, id: /session (\S+)/.exec(stdout)?.[1] ?? '' };
}

const readingCommands = [
  ['sessions'],
  ['show', 'last'],
  ['recall', 'last', '@1'],
  ['search', 'words'],
  ['export', 'last', '--output', 'out.md'],
];

test.skipIf(!canMount)(
  'a read-only file system still lets sessions be listed, shown, recalled and exported',
  async () => {
    const { call, store, id } = await mounted();
    execFileSync('mount', ['-o', 'remount,ro', store]);
    for (const args of readingCommands) expect({ args, code: (await call(...args)).code }).toEqual({ args, code: 0 });
    expect((await call('recall', 'last', '@1')).stdout).toContain('The words to find.');
    const deleted = await call('delete', id, '--yes');
    expect(deleted.code).not.toBe(0);
    expect(deleted.stderr).toContain(`${id} was not deleted: the file system is read-only.`);
  },
);

test.skipIf(!canMount)('a full disk failed every command: sessions are still read and deleted', async () => {
  const { call, store, id } = await mounted();
  expect(() => writeFileSync(join(store, 'fill'), Buffer.alloc(2_000_000))).toThrow('ENOSPC');
  for (const args of readingCommands) expect({ args, code: (await call(...args)).code }).toEqual({ args, code: 0 });
  expect((await call('recall', 'last', '@1')).stdout).toContain('The words to find.');
  const doctor = await call('doctor');
  expect(doctor).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('nothing can be written: the disk is full'),
  });
  expect(doctor.stdout).not.toContain('damaged');
  expect(await call('delete', id, '--yes')).toMatchObject({ code: 0 });
  expect((await call('sessions')).stdout).toContain('No sessions');
});
