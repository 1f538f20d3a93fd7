import { setTimeout as sleep } from 'node:timers/promises';
import { createBackgroundTokenizer, createTokenizer } from 'longhaul/tokens';
import { makeText } from '../../packages/engine/src/tokens/fixtures/texts.ts';
import { table } from './measure.ts';

/** 32 texts of half a megabyte, four of 6 MB, one of which is a single run of letters. */
function texts(): string[] {
  const small = Array.from({ length: 32 }, (_, seed) => makeText({ seed, kind: 'code', length: 500_000 }));
  const large = [1, 2, 3].map((seed) => makeText({ seed, kind: 'log', length: 6_000_000 }));
  return [...small, ...large, 'a'.repeat(6_000_000)];
}

export async function stallTable(): Promise<string> {
  const all = texts();
  const exact = await createTokenizer('o200k_base');
  const inWorker = createBackgroundTokenizer({ encoding: 'o200k_base' });
  const inProcess = createBackgroundTokenizer({ encoding: 'o200k_base', worker: false });
  const rows = [
    await delays('nothing, for a second', () => sleep(1_000)),
    await delays('worker', () => Promise.all(all.map((text) => inWorker.count({ text })))),
    await delays('in-process fallback', () => Promise.all(all.map((text) => inProcess.count({ text })))),
    await delays('plain tokenizer', async () => all.forEach((text) => void exact.count(text))),
  ];
  await inWorker.close();
  return table(['counted by', 'took (wall)', 'p50', 'p99', 'largest'], rows);
}

/**
 * CPU time that this thread spent between two ticks of a timer of a millisecond: what the next event had to wait for,
 * without what other processes took.
 */
async function delays(name: string, work: () => Promise<unknown>): Promise<string[]> {
  const spent: number[] = [];
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    spent.push((now.user + now.system - before.user - before.system) / 1e3);
    before = now;
  }, 1);
  await sleep(20);
  spent.length = 0;
  const start = performance.now();
  await work();
  const took = performance.now() - start;
  await sleep(5);
  clearInterval(timer);
  spent.sort((a, b) => a - b);
  const at = (share: number) => (spent[Math.min(spent.length - 1, Math.floor(spent.length * share))] ?? 0).toFixed(1);
  return [name, took.toFixed(0), at(0.5), at(0.99), at(1)];
}
