import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { world } from './world.ts';

/** Only root can mount; elsewhere this is skipped. */
const canMount =
  process.platform === 'linux' &&
  spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && umount "$d" && rmdir "$d"']).status === 0;
if (!canMount) console.log('read-only: skipped, since no file system can be mounted here');

test.skipIf(!canMount)(
  'a read-only file system still lets sessions be listed, shown, recalled and exported',
  async () => {
    const { cwd, call, file } = world();
    const store = join(cwd, 'store');
    mkdirSync(store, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', store]);
    onTestFinished(() => void execFileSync('umount', [store]));
    file('chat.json', JSON.stringify([{ role: 'user', content: 'The words to find.' }]));
    expect((await call('import', 'chat.json')).code).toBe(0);
    execFileSync('mount', ['-o', 'remount,ro', store]);
    for (const args of [
      ['sessions'],
      ['show', 'last'],
      ['recall', 'last', '@1'],
      ['export', 'last', '--output', 'out.md'],
    ])
      expect({ args, code: (await call(...args)).code }).toEqual({ args, code: 0 });
    expect((await call('recall', 'last', '@1')).stdout).toContain('The words to find.');
  },
);
