import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { folderWith } from '../tools/tools.fixture.ts';
import { sha256 } from './file-versions.ts';
import { rewindFiles, undoFileRewind } from './rewind-files.ts';
import { person, rollbackIn, treeOf } from './rollback.fixture.ts';

const names = ['a.txt', 'b.txt', 'd/c.txt'];
const name = fc.constantFrom(...names);
const content = fc.string({ maxLength: 6, unit: 'binary-ascii' });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ by: fc.constant('write' as const), name, content }) },
  {
    weight: 4,
    arbitrary: fc.record({
      by: fc.constant('bash' as const),
      command: fc.oneof(
        fc.constantFrom(
          'rm -rf d',
          'mkdir -p d && touch d/c.txt',
          'mv a.txt b.txt',
          'cp -r d e',
          'rm -f a.txt',
          'mv d f',
        ),
        name.map((one) => `sed -i 's/a/b/' ${one}`),
        fc.tuple(name, name).map(([from, to]) => `cat ${from} >> ${to}`),
        name.map((one) => `chmod 600 ${one}`),
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ by: fc.constant('person' as const), name, content: fc.option(content) }) },
  {
    weight: 2,
    arbitrary: fc.record({ by: fc.constant('rewind' as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  },
  { weight: 1, arbitrary: fc.record({ by: fc.constant('undo' as const) }) },
);

/** Bytes that the history may not know: those of a person since the agent last touched the file. */
function bytesOf(path: string): Buffer | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path) : undefined;
  } catch {
    return undefined;
  }
}

test('no bytes of a person are lost, whatever agent, people, rewinds and undos do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const cwd = folderWith({ 'a.txt': 'a', 'b.txt': 'b', 'd/c.txt': 'c' });
      const { session, versions, write, bash, here } = await rollbackIn({ cwd, versions: folderWith() });
      /** What a person wrote last at a path and the agent has not touched since. */
      const ofPeople = new Map<string, string | null>();
      const everWritten = new Set<string>();
      for (const one of steps) {
        const before = treeOf(cwd);
        switch (one.by) {
          case 'write':
            await write(one.name, one.content).catch(() => undefined);
            break;
          case 'bash':
            await bash(one.command).catch(() => undefined);
            break;
          case 'person':
            person(join(cwd, one.name), one.content);
            break;
          case 'rewind':
            await rewindFiles({ session, versions, to: Math.floor(here() * one.share) });
            break;
          case 'undo':
            await undoFileRewind({ session, versions }).catch(() => undefined);
            break;
        }
        const after = treeOf(cwd);
        const changed = names.filter((path) => before[path] !== after[path]);
        if (one.by === 'rewind' || one.by === 'undo') {
          // Left alone: nothing that a person made last was touched.
          for (const path of changed) expect([path, ofPeople.has(path)]).toEqual([path, false]);
        }
        for (const path of changed) {
          if (one.by !== 'person') {
            ofPeople.delete(path);
            continue;
          }
          const bytes = bytesOf(join(cwd, path));
          ofPeople.set(path, bytes ? bytes.toString('latin1') : null);
          if (bytes) everWritten.add(bytes.toString('latin1'));
        }
        // In any case: what a person wrote is on disk, or among the kept versions.
        const onDisk = new Set(names.map((path) => bytesOf(join(cwd, path))?.toString('latin1')));
        for (const bytes of everWritten) {
          const isKept = onDisk.has(bytes) || (await versions.read(sha256(Buffer.from(bytes, 'latin1')))) !== undefined;
          if (!isKept && one.by === 'person') everWritten.delete(bytes);
          else expect([bytes, isKept]).toEqual([bytes, true]);
        }
      }
    }),
    runs(15),
  );
}, 120_000);

test('without changes by others, a rewind restores exactly what was there, and undo exactly what is', async () => {
  const agentStep = step.filter(({ by }) => by === 'write' || by === 'bash');
  await fc.assert(
    fc.asyncProperty(fc.array(agentStep, { minLength: 2, maxLength: 10 }), fc.nat(9), async (steps, at) => {
      const cwd = folderWith({ 'a.txt': 'a', 'b.txt': 'b', 'd/c.txt': 'c' });
      const { session, versions, write, bash, here } = await rollbackIn({ cwd, versions: folderWith() });
      let [then, to] = [treeOf(cwd), 0];
      for (const [index, one] of steps.entries()) {
        if (index === at % steps.length) [then, to] = [treeOf(cwd), here()];
        if (one.by === 'write') await write(one.name, one.content).catch(() => undefined);
        if (one.by === 'bash') await bash(one.command).catch(() => undefined);
      }
      const now = treeOf(cwd);
      await rewindFiles({ session, versions, to });
      expect(treeOf(cwd)).toEqual(then);
      await undoFileRewind({ session, versions }).catch(() => undefined);
      expect(treeOf(cwd)).toEqual(now);
    }),
    runs(15),
  );
}, 120_000);
