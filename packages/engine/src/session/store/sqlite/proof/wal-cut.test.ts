import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../testing/index.ts';
import { caseSeed, runs } from '../../../../testing/runs.ts';
import { temporaryFolder } from '../fixtures.ts';
import { layoutOf } from '../layout.ts';
import { StoreWorker } from '../store-worker.ts';
import { appendOf, begin, countExact, session } from './log.ts';
import { tell } from './tell.ts';
import { frameBorders, saltsOf } from './wal.ts';

/** The files of a log at one moment, as a power cut would leave them. */
interface Copy {
  readonly main: Buffer;
  readonly wal: Buffer;
}

describe('the power fails while SQLite writes', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let copies = 0;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const place = (dir: string) => layoutOf(dir).session(session);
  const copyNow = (dir: string): Copy => ({
    main: readFileSync(place(dir).log),
    wal: readFileSync(`${place(dir).log}-wal`),
  });
  /** How many entries a store finds on such files. The blobs, which are not SQLite's, are there. */
  const entriesOn = ({ main, wal }: Copy, live: string): number => {
    copies += 1;
    const dir = join(folder.dir, `copy-${copies}`);
    const { log, folder: home, blobs } = place(dir);
    mkdirSync(home, { recursive: true });
    symlinkSync(place(live).blobs, blobs);
    writeFileSync(log, main);
    writeFileSync(`${log}-wal`, wal);
    const worker = new StoreWorker({ dir });
    const count = countExact(worker);
    worker.run('close', {});
    rmSync(dir, { recursive: true });
    return count;
  };

  it('keeps every acknowledged entry and no half append, wherever the WAL is cut', () => {
    const seed = caseSeed();
    const random = createRandom(seed);
    const dir = join(folder.dir, 'live');
    const worker = new StoreWorker({ dir });
    begin(worker);
    let [last, cuts, generations] = [0, 0, 0];
    last = worker.run('append', appendOf({ after: 0, count: 6 })).last;
    let before = copyNow(dir);
    for (let step = 0; step < runs(25).numRuns; step += 1) {
      if (step % 5 === 1 || random.chance(0.1)) checkpoint(place(dir).log);
      const count = random.int(1, 4);
      worker.run('append', appendOf({ after: last, count }));
      const after = copyNow(dir);
      const hasRestarted = saltsOf(before.wal) !== saltsOf(after.wal);
      generations += hasRestarted ? 1 : 0;
      const acknowledged = hasRestarted ? 0 : (frameBorders(before.wal).at(-1) ?? 0);
      const borders = frameBorders(after.wal);
      const end = borders.at(-1) ?? 0;
      const inside = Array.from({ length: 6 }, () => random.int(acknowledged, end));
      for (const cut of [...borders.filter((border) => border >= acknowledged), ...inside, acknowledged]) {
        const kept = after.wal.subarray(0, cut);
        // The bytes after the cut: none, those that were there before, or whatever the disk held.
        const rest = random.pick([Buffer.alloc(0), before.wal.subarray(cut), noise(random)]);
        const found = entriesOn({ main: after.main, wal: Buffer.concat([kept, rest]) }, dir);
        cuts += 1;
        expect(cut >= end ? [last + count] : [last, last + count], `seed ${seed}`).toContain(found);
      }
      last += count;
      before = copyNow(dir);
    }
    worker.run('close', {});
    expect(cuts).toBeGreaterThan(runs(25).numRuns * 8);
    expect(generations).toBeGreaterThan(0);
    tell(`WAL cuts: ${cuts}, over ${generations} restarts of the WAL`);
  });

  it('keeps every acknowledged entry when it happens in the middle of a checkpoint', () => {
    const seed = caseSeed();
    const random = createRandom(seed);
    const dir = join(folder.dir, 'live');
    const worker = new StoreWorker({ dir });
    begin(worker);
    let last = 0;
    for (let step = 0; step < runs(10).numRuns; step += 1) {
      const count = random.int(1, 12);
      worker.run('append', appendOf({ after: last, count }));
      last += count;
      const before = copyNow(dir);
      checkpoint(place(dir).log);
      const after = copyNow(dir);
      for (let mix = 0; mix < 4; mix += 1) {
        expect(entriesOn({ main: mixed({ random, before, after }), wal: before.wal }, dir), `seed ${seed}`).toBe(last);
      }
    }
    worker.run('close', {});
  });
});

/** As another process would: everything from the WAL into the file, so that the next append starts the WAL anew. */
function checkpoint(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  db.close();
}

/** Each page old or new: the order in which a disk writes pages is its own. */
function mixed({
  random,
  before,
  after,
}: {
  random: ReturnType<typeof createRandom>;
  before: Copy;
  after: Copy;
}): Buffer {
  const page = 4096;
  const pages: Buffer[] = [];
  for (let at = 0; at < after.main.length; at += page) {
    const source = random.chance(0.5) && at < before.main.length ? before : after;
    pages.push(source.main.subarray(at, at + page));
  }
  return Buffer.concat(pages);
}

function noise(random: ReturnType<typeof createRandom>): Buffer {
  return Buffer.from(Array.from({ length: random.int(1, 9000) }, () => random.int(0, 255)));
}
