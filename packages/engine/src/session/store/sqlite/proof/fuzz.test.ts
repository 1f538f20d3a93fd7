import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LonghaulError } from '../../../../errors.ts';
import { createRandom, type Random } from '../../../../testing/index.ts';
import { caseSeed, runs } from '../../../../testing/runs.ts';
import { FailureError } from '../failure.ts';
import { temporaryFolder } from '../fixtures.ts';
import { entryOf } from '../row.ts';
import { StoreWorker } from '../store-worker.ts';
import { appendOf, begin, entryAt, session } from './log.ts';
import { tell } from './tell.ts';

const size = 60;

describe('a store that was tampered with', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let sound: string;

  beforeAll(() => {
    folder = temporaryFolder();
    sound = join(folder.dir, 'sound');
    const worker = new StoreWorker({ dir: sound });
    begin(worker);
    for (let last = 0; last < size; last += 10) worker.run('append', appendOf({ after: last, count: 10 }));
    worker.run('list', {});
    worker.run('search', { text: 'entry' });
    // Copied with its WAL, as a kill would leave it.
    cpSync(sound, join(folder.dir, 'open'), { recursive: true });
    worker.run('close', {});
  });
  afterAll(() => folder.remove());

  it('gives back what was written or says what is wrong, and can be repaired', () => {
    const seed = caseSeed();
    const random = createRandom(seed);
    const rounds = runs(60).numRuns;
    let [unharmed, recorded, saved] = [0, 0, 0];
    for (let round = 0; round < rounds; round += 1) {
      const dir = join(folder.dir, `round-${round}`);
      cpSync(random.chance(0.5) ? sound : join(folder.dir, 'open'), dir, { recursive: true });
      const done = tamper({ random, dir });
      const note = `seed ${seed}, round ${round}: ${done}`;
      const worker = new StoreWorker({ dir });
      const found = entriesIn(worker, note);
      if (found === undefined) recorded += 1;
      else if (found === size) unharmed += 1;
      for (const op of ['list', 'search', 'head', 'append'] as const) typed(() => use({ worker, op }), note);
      const report = typed(() => worker.run('doctor', { fix: true }), note);
      const after = entriesIn(worker, note) ?? 0;
      if (report)
        expect(
          typed(() => worker.run('doctor', {}), note),
          note,
        ).toMatchObject({ sound: true });
      saved += after;
      worker.run('close', {});
      rmSync(dir, { recursive: true, force: true });
    }
    expect(unharmed + recorded).toBeGreaterThan(0);
    tell(
      `fuzz: ${rounds} stores, ${unharmed} read whole, ${recorded} reported, ${saved} of ${rounds * size} entries after repair`,
    );
  });
});

/** How many entries are there, each as it was written; `undefined` when the store says that it is damaged. */
function entriesIn(worker: StoreWorker, note: string): number | undefined {
  return typed(() => {
    let count = 0;
    for (let from = 0; ; ) {
      const { rows, done } = worker.run('read', { session, query: { after: 0 }, from });
      for (const row of rows) {
        const entry = entryOf(row);
        count += 1;
        from = row.handle;
        if (entry.type !== 'message' || row.handle > size) continue;
        const said = JSON.stringify(entry.message);
        const wanted = entryAt(row.handle);
        const isLost = said.includes('[lost: the text with the SHA-256');
        if (!isLost) expect(said, note).toBe(JSON.stringify('message' in wanted ? wanted.message : undefined));
      }
      if (done) return count;
    }
  }, note);
}

function use({ worker, op }: { worker: StoreWorker; op: 'list' | 'search' | 'head' | 'append' }): unknown {
  if (op === 'search') return worker.run('search', { text: 'entry' });
  if (op === 'head') return worker.run('head', { session });
  if (op === 'list') return worker.run('list', {});
  return worker.run('append', appendOf({ after: size, count: 1 }));
}

/** Runs it; an error must be one of ours, with a name for what happened. */
function typed<T>(work: () => T, note: string): T | undefined {
  try {
    return work();
  } catch (error) {
    const isOurs = error instanceof FailureError ? error.failure.kind !== 'other' : LonghaulError.is(error);
    if (!isOurs)
      throw new Error(`${note}: ${error instanceof FailureError ? JSON.stringify(error.failure) : error}`, {
        cause: error,
      });
    return undefined;
  }
}

function tamper({ random, dir }: { random: Random; dir: string }): string {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map((entry) => join(entry.parentPath, entry.name));
  const logs = files.filter((path) => path.includes('log.sqlite'));
  const pool = random.chance(0.7) ? logs : files;
  const path = pool[random.int(0, pool.length - 1)] ?? '';
  const way = random.pick(['flip', 'flip', 'flip', 'zero', 'truncate', 'remove', 'swap', 'noise', 'grow'] as const);
  if (way === 'remove') {
    rmSync(path);
    return `${path} removed`;
  }
  const bytes = readFileSync(path);
  const at = random.int(0, Math.max(0, statSync(path).size - 1));
  const page = Math.floor(at / 4096) * 4096;
  if (way === 'flip') for (let n = random.int(1, 8); n > 0; n -= 1) flip(bytes, random);
  if (way === 'zero') bytes.fill(0, page, Math.min(bytes.length, page + 4096));
  if (way === 'noise') for (let n = at; n < Math.min(bytes.length, at + 500); n += 1) bytes[n] = random.int(0, 255);
  const other = Math.floor(random.int(0, bytes.length) / 4096) * 4096;
  if (way === 'swap') bytes.copyWithin(page, other, other + 4096);
  const result = way === 'truncate' ? bytes.subarray(0, at) : way === 'grow' ? Buffer.concat([bytes, bytes]) : bytes;
  writeFileSync(path, result);
  return `${path} ${way} at ${at}`;
}

function flip(bytes: Buffer, random: Random): void {
  const at = random.int(0, Math.max(0, bytes.length - 1));
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
}
