import { openSqliteStore } from 'longhaul/session';
import { createRandom } from 'longhaul/testing';
import { vocabulary, wordAt } from './words.ts';

/** How long a search takes, common and rare words alike, and the first one, which builds the index. */
export async function searchTimes({ dir, queries }: { readonly dir: string; readonly queries: number }) {
  const store = await openSqliteStore({ dir });
  const random = createRandom(7);
  const indexed = await time(() => store.search({ text: 'warm up' }));
  const times: number[] = [];
  for (let query = 0; query < queries; query += 1) {
    const word = () => wordAt(Math.floor(random.next() ** 2 * vocabulary));
    const text = random.chance(0.5) ? word() : `${word()} ${word()}`;
    times.push(await time(() => store.search({ text, limit: 20 })));
  }
  await store.close();
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { indexed, p50: at(0.5), p95: at(0.95) };
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
