import { promptTokens, type Usage } from 'longhaul/models';
import type { Told } from './job.ts';

type Turn = Extract<Told, { readonly type: 'turn' }>;

const mebi = 1024 * 1024;

/** What turns took over time: it must stay flat. */
export class Curve {
  readonly #every: number;
  readonly #stretches: Turn[][] = [[]];
  readonly #rungs = new Map<string, number>();
  compactions = 0;
  calls = 0;
  failedCalls = 0;

  constructor({ every }: { readonly every: number }) {
    this.#every = every;
  }

  add(told: Told): void {
    if (told.type === 'compaction') {
      this.compactions += 1;
      this.#rungs.set(told.rung, (this.#rungs.get(told.rung) ?? 0) + 1);
    }
    if (told.type === 'call') {
      this.calls += 1;
      if (told.isError) this.failedCalls += 1;
    }
    if (told.type !== 'turn') return;
    if (this.#current.length >= this.#every) this.#stretches.push([]);
    this.#current.push(told);
  }

  get #current(): Turn[] {
    return this.#stretches.at(-1) ?? [];
  }

  get rungs(): string {
    return [...this.#rungs].map(([rung, count]) => `${count} ${rung}`).join(', ');
  }

  get hitRate(): string {
    return rateOf(this.#stretches.flat().map(({ usage }) => usage));
  }

  print(): void {
    console.log('   turns   CPU ms/turn   p95   heap MB   rss MB   cache hits');
    for (const [index, turns] of this.#stretches.entries()) {
      if (turns.length === 0) continue;
      const times = turns.map(({ cpuMs }) => cpuMs);
      const cells = [
        String(index * this.#every + turns.length).padStart(8),
        at(times, 0.5).toFixed(1).padStart(12),
        at(times, 0.95).toFixed(0).padStart(6),
        (
          at(
            turns.map(({ heapUsed }) => heapUsed),
            0.5,
          ) / mebi
        )
          .toFixed(0)
          .padStart(8),
        (
          at(
            turns.map(({ rss }) => rss),
            0.5,
          ) / mebi
        )
          .toFixed(0)
          .padStart(8),
        rateOf(turns.map(({ usage }) => usage)).padStart(10),
      ];
      console.log(cells.join('  '));
    }
  }
}

function rateOf(usages: readonly Usage[]): string {
  const all = usages.reduce((sum, usage) => sum + promptTokens(usage), 0);
  const read = usages.reduce((sum, usage) => sum + usage.cacheRead, 0);
  return all === 0 ? '-' : `${((100 * read) / all).toFixed(1)} %`;
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}
