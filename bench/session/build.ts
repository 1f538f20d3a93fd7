import { createWriteStream, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Entry, openSqliteStore } from 'longhaul/session';
import { log, piLines } from './log.ts';

/** Writes a session of this many entries into a store of its own. Returns how long it took. */
export async function buildStore({ dir, count }: { readonly dir: string; readonly count: number }): Promise<number> {
  const store = await openSqliteStore({ dir });
  await store.create({ header: { v: 1, id: 'bench', createdAt: Date.UTC(2026, 0, 1) } });
  const started = performance.now();
  let batch: Entry[] = [];
  const flush = async (): Promise<void> => {
    const [first, last] = [batch[0], batch.at(-1)];
    if (!first || !last) return;
    const entries = batch;
    batch = [];
    await store.append({ session: 'bench', expect: first.handle - 1, entries, leaf: last.id, epoch: last.epoch });
  };
  for (const entry of log(count)) {
    batch.push(entry);
    if (batch.length === 5000) await flush();
  }
  await flush();
  const took = performance.now() - started;
  await store.close();
  return took;
}

export async function buildFile({ path, count }: { readonly path: string; readonly count: number }): Promise<void> {
  const lines = function* () {
    for (const line of piLines(count)) yield `${line}\n`;
  };
  await pipeline(Readable.from(lines()), createWriteStream(path));
}

export function bytesIn(dir: string): number {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
