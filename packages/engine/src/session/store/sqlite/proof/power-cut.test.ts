import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../testing/index.ts';
import { caseSeed, runs } from '../../../../testing/runs.ts';
import { Blobs } from '../blobs.ts';
import { createFiles, type Primitives } from '../files.ts';
import { temporaryFolder } from '../fixtures.ts';
import { layoutOf } from '../layout.ts';
import { spillLength } from '../spill.ts';
import { StoreWorker } from '../store-worker.ts';
import { appendOf, begin, entryAt, session } from './log.ts';
import { type Event, recordedDisk, survivors } from './recorded-disk.ts';
import { tell } from './tell.ts';

describe('the power fails while blobs are written', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  /** A store at work on a disk that writes down what is asked of it. */
  const record = ({
    sabotage = (system) => system,
  }: {
    sabotage?: (system: Primitives) => Primitives;
  } = {}): Event[] => {
    const dir = join(folder.dir, 'live');
    const { system, events } = recordedDisk(dir);
    let worker = new StoreWorker({ dir, files: createFiles(sabotage(system)) });
    begin(worker);
    let last = 0;
    for (const count of [5, 1, 3, 8, 1, 12]) {
      worker.run('append', appendOf({ after: last, count }));
      const handles = Array.from({ length: count }, (_, index) => last + 1 + index);
      events.push({ kind: 'acknowledged', handles });
      last += count;
      if (count === 3) {
        worker.run('close', {});
        worker = new StoreWorker({ dir, files: createFiles(sabotage(system)) });
      }
    }
    worker.run('close', {});
    return events;
  };

  /** Which acknowledged entries name a blob that cannot be read after the cut. */
  const losses = ({ events, lucky }: { events: readonly Event[]; lucky?: () => boolean }): string[] => {
    const into = join(folder.dir, 'after');
    survivors({ events, into, ...(lucky && { lucky }) });
    const { blobs: home } = layoutOf(into).session(session);
    const blobs = new Blobs({ files: createFiles(), folder: home, session });
    const lost = events
      .flatMap((event) => (event.kind === 'acknowledged' ? event.handles : []))
      .flatMap((handle) => spilledNames(handle).flatMap((name) => problemOf(() => blobs.text(name))));
    const half = names(home).flatMap((name) => problemOf(() => blobs.text(name)));
    rmSync(into, { recursive: true });
    return [...lost, ...half];
  };

  it('loses no blob of an acknowledged entry, whichever call was the last', () => {
    const events = record();
    const acknowledged = events.filter(({ kind }) => kind === 'acknowledged').length;
    expect(acknowledged).toBe(6);
    for (let end = 0; end <= events.length; end += 1) expect(losses({ events: events.slice(0, end) })).toEqual([]);
    tell(`power cuts: ${events.length + 1}, after every call`);
  });

  it('loses none either when the disk had written some of what was not synced', () => {
    const events = record();
    const seed = caseSeed();
    const random = createRandom(seed);
    for (let round = 0; round < runs(100).numRuns; round += 1) {
      const end = random.int(0, events.length);
      expect(losses({ events: events.slice(0, end), lucky: () => random.chance(0.5) }), `seed ${seed}`).toEqual([]);
    }
  });

  it.each([
    ['files', (system: Primitives, path: string) => /[0-9a-f]{64}[^/]*$/.test(path) || !system],
    ['folders', (_: Primitives, path: string) => path.endsWith('blobs')],
    ['the folder of the session', (_: Primitives, path: string) => path.endsWith(session)],
  ])('would be seen to lose some if it did not sync %s', (_, isSkipped) => {
    const events = record({
      sabotage: (system) => withoutSync({ system, isSkipped: (path) => isSkipped(system, path) }),
    });
    const all = events.flatMap((_event, end) => losses({ events: events.slice(0, end + 1) }));
    expect(all.length).toBeGreaterThan(0);
  });
});

/** Content addresses of the long strings in an entry, found without the code under test. */
function spilledNames(handle: number): string[] {
  const entry = entryAt(handle);
  if (entry.type !== 'message') return [];
  return entry.message.parts.flatMap((part) =>
    part.type === 'text' && part.text.length >= spillLength ? [sha256(part.text)] : [],
  );
}

function names(home: string): string[] {
  try {
    return readdirSync(home).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}

function problemOf(work: () => unknown): string[] {
  try {
    work();
    return [];
  } catch (error) {
    return [String(error)];
  }
}

function withoutSync({ system, isSkipped }: { system: Primitives; isSkipped: (path: string) => boolean }): Primitives {
  const open = new Map<number, string>();
  return {
    ...system,
    openSync(path, flags, mode) {
      const file = system.openSync(path, flags, mode);
      open.set(file, path);
      return file;
    },
    fsyncSync(file) {
      if (!isSkipped(open.get(file) ?? '')) system.fsyncSync(file);
    },
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
