import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../testing/index.ts';
import { caseSeed, runs } from '../../../../testing/runs.ts';
import { temporaryFolder } from '../fixtures.ts';
import { StoreWorker } from '../store-worker.ts';
import { countExact } from './log.ts';
import { start } from './process.ts';
import { tell } from './tell.ts';

const kills = runs(60).numRuns;

/** The sizes of the appends that the writer repeats: where one may end. */
const borders = [0, 1, 4, 5];

describe('a writer is killed', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  it('and everything acknowledged is there, and no partial append', async () => {
    const seed = caseSeed();
    const random = createRandom(seed);
    let [before, total, acknowledgements] = [0, 0, 0];
    let dir = '';
    for (let kill = 0; kill < kills; kill += 1) {
      // The same store again and again, but not for ever: each time all of it is read.
      if (kill % 20 === 0) {
        dir = join(folder.dir, String(kill));
        total += before;
        before = 0;
      }
      const { kept, said } = await writeAndKill({
        dir,
        acknowledged: random.int(0, 40),
        delay: random.int(0, 4),
      });
      const worker = new StoreWorker({ dir });
      const found = countExact(worker);
      const report = worker.run('doctor', {});
      worker.run('close', {});
      expect(found, `seed ${seed}`).toBeGreaterThanOrEqual(Math.max(kept, before));
      expect(borders, `seed ${seed}`).toContain((found - before) % 7);
      expect(report, `seed ${seed}`).toMatchObject({ sound: true });
      before = found;
      acknowledgements += said;
    }
    total += before;
    expect(total).toBeGreaterThan(0);
    tell(`kills: ${kills}, ${acknowledgements} appends acknowledged, ${total} entries kept`);
  });
});

/** Lets a writer run until it has been told this often, then a little longer. */
async function writeAndKill({
  dir,
  acknowledged,
  delay,
}: {
  dir: string;
  acknowledged: number;
  delay: number;
}): Promise<{ kept: number; said: number }> {
  const { child, lines, ended } = start({ file: './writer.ts', args: [dir] });
  let [kept, said] = [0, 0];
  for await (const line of lines) {
    const [what, handle] = line.split(' ');
    if (what === 'kept') {
      kept = Math.max(kept, Number(handle));
      said += 1;
    }
    if (said >= acknowledged) setTimeout(() => child.kill('SIGKILL'), delay);
  }
  await ended;
  return { kept, said };
}
