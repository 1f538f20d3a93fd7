import { monitorEventLoopDelay } from 'node:perf_hooks';
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
  return table(['counted by', 'took', 'p50', 'p99', 'largest'], rows);
}

async function delays(name: string, work: () => Promise<unknown>): Promise<string[]> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  await sleep(20);
  histogram.reset();
  await sleep(5);
  const start = performance.now();
  await work();
  const took = performance.now() - start;
  await sleep(5);
  histogram.disable();
  // The histogram holds the whole interval between two ticks; 1 ms of it is the timer's own.
  const delay = (ns: number) => Math.max(0, ns / 1e6 - 1).toFixed(1);
  return [
    name,
    took.toFixed(0),
    delay(histogram.percentile(50)),
    delay(histogram.percentile(99)),
    delay(histogram.max),
  ];
}
