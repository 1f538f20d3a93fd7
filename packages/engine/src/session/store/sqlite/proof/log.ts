import { user } from '../../../../message/index.ts';
import type { Entry } from '../../../entry/entry.ts';
import type { AppendArgs } from '../protocol.ts';
import { entryOf, rowOf } from '../row.ts';
import type { StoreWorker } from '../store-worker.ts';

export const session = 's1';

/** The entry with this handle in the logs that are broken here: the handle says all that is in it. */
export function entryAt(handle: number): Entry {
  const size = sizes[handle % sizes.length] ?? 0;
  const text = `entry ${`${handle} `.repeat(size)}`.slice(0, size);
  return {
    v: 1,
    id: idAt(handle),
    parentId: handle === 1 ? null : idAt(handle - 1),
    handle,
    at: handle,
    epoch: null,
    type: 'message',
    message: user(text),
  };
}

/** Small ones, some over several pages, some that become blobs. */
const sizes = [40, 40, 9_000, 40, 700, 40_000, 40, 2_000];

export function idAt(handle: number): string {
  return `id-${String(handle).padStart(8, '0')}`;
}

/** An append of so many entries after the newest. */
export function appendOf({ after, count }: { readonly after: number; readonly count: number }): AppendArgs {
  const rows = Array.from({ length: count }, (_, index) => rowOf(entryAt(after + 1 + index)));
  return { session, expect: after, rows, leaf: idAt(after + count), epoch: null };
}

export function begin(worker: StoreWorker): void {
  worker.run('create', { header: { v: 1, id: session, createdAt: 0 } });
}

/** Everything in the log, read back and compared with what was written there. Returns how many entries there are. */
export function countExact(worker: StoreWorker): number {
  let count = 0;
  for (;;) {
    const { rows, done } = worker.run('read', { session, query: { after: 0 }, from: count });
    for (const row of rows) {
      count += 1;
      const [found, wanted] = [JSON.stringify(entryOf(row)), JSON.stringify(entryAt(count))];
      if (found !== wanted) throw new Error(`@${count} is not what was written: ${found.slice(0, 200)}`);
    }
    if (done) break;
  }
  const head = worker.run('head', { session });
  const expected = { last: count, count, leaf: count === 0 ? null : idAt(count), epoch: null };
  if (JSON.stringify(head) !== JSON.stringify(expected)) throw new Error(`head ${JSON.stringify(head)} after ${count}`);
  return count;
}
