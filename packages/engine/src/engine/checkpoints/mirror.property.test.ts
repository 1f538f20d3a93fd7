import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMemoryStore, createSession, openSession } from '../../session/index.ts';
import { createClock } from '../../testing/index.ts';
import { runs } from '../../testing/runs.ts';
import { say } from '../fixtures/messages.ts';
import { checkpointsOf } from './checkpoint.ts';
import { checkpointName, checkpointText, indexName } from './document.ts';
import type { Folder } from './folder.ts';
import { mirrorCheckpoints } from './mirror.ts';

/** A folder that fails now and then. */
function folderOf({
  isBroken,
}: {
  readonly isBroken: () => boolean;
}): Folder & { readonly files: Map<string, string> } {
  const files = new Map([['042-foreign.md', 'not ours']]);
  const unlessBroken = async <T>(work: () => T): Promise<T> => {
    if (isBroken()) throw new Error('EIO');
    return work();
  };
  return {
    files,
    list: () => unlessBroken(() => [...files.keys()]),
    read: (name) => unlessBroken(() => files.get(name)),
    write: ({ name, text }) => unlessBroken(() => void files.set(name, text)),
    remove: (name) => unlessBroken(() => void files.delete(name)),
  };
}

const act = fc.constantFrom('say', 'compact', 'undo', 'redo', 'rewind', 'move', 'fail', 'restart');

test('whatever happens to a session, its files are its checkpoints, and those of others stay', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(act, fc.nat()), { maxLength: 30 }), async (acts) => {
      const store = createMemoryStore();
      const { now } = createClock();
      let session = await createSession({ store, header: { id: 's' }, now });
      let isFailing = false;
      const folder = folderOf({ isBroken: () => isFailing });
      let mirror = mirrorCheckpoints({ session, dir: '/x', folder, now });
      for (const [name, number] of acts) {
        const places = (await session.path()).map(({ id }) => id);
        const place = places[number % Math.max(1, places.length)] ?? null;
        isFailing = name === 'fail';
        if (name === 'say') await session.append({ type: 'message', message: say(`words ${number}`) });
        if (name === 'compact') {
          const record = { firstKeptId: null, tokensBefore: 9, trigger: 'manual', summary: `S${number}.` };
          await session.compact({ ...record, details: { title: `T ${number % 3}` } });
        }
        if (name === 'undo' || name === 'redo') await session[name]().catch(() => undefined);
        if (name === 'rewind') await session.rewind({ to: place });
        if (name === 'move') {
          const all = await session.read({ types: ['message', 'epoch'] });
          await session.move({ to: all[number % Math.max(1, all.length)]?.id ?? null });
        }
        if (name === 'restart') {
          await mirror.close();
          session = await openSession({ store, id: 's', now });
          mirror = mirrorCheckpoints({ session, dir: '/x', folder, now });
        }
        await mirror.align();
        if (isFailing) continue;
        const checkpoints = await checkpointsOf({ session });
        // What is sent is another witness: it begins with the summary of the newest, or with none.
        const made = session.context.items.filter(({ isMade }) => isMade).map(({ message }) => JSON.stringify(message));
        const newest = checkpoints.at(-1);
        expect(made).toEqual(newest ? [expect.stringContaining(`<summary>\\n${newest.summary}\\n`)] : []);
        const wanted = checkpoints.map((one) => [checkpointName(one), checkpointText({ checkpoint: one, session })]);
        const { [indexName]: _, '042-foreign.md': foreign, ...ours } = Object.fromEntries(folder.files);
        expect(ours).toEqual(Object.fromEntries(wanted));
        expect(foreign).toBe('not ours');
      }
      await mirror.close();
    }),
    runs(60),
  );
});
