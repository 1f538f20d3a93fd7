import { promptTokens, type Usage } from 'longhaul/models';
import type { Told } from './job.ts';

type Turn = Extract<Told, { readonly type: 'turn' }>;

const mebi = 1024 * 1024;

/** What turns took over time, printed as it goes: it must stay flat. */
export class Curve {
  readonly #every: number;
  readonly #usages: Usage[] = [];
  #stretch: Turn[] = [];
  readonly #strategies = new Map<string, number>();
  compactions = 0;
  calls = 0;
  failedCalls = 0;

  constructor({ every }: { readonly every: number }) {
    this.#every = every;
  }

  add(told: Told): void {
    if (told.type === 'compaction') {
      this.compactions += 1;
      this.#strategies.set(told.strategy, (this.#strategies.get(told.strategy) ?? 0) + 1);
    }
    if (told.type === 'call') {
      this.calls += 1;
      if (told.isError) this.failedCalls += 1;
    }
    if (told.type !== 'turn') return;
    this.#stretch.push(told);
    this.#usages.push(told.usage);
    if (this.#stretch.length >= this.#every) this.print();
  }

  get strategies(): string {
    return [...this.#strategies].map(([strategy, count]) => `${count} ${strategy}`).join(', ');
  }

  get hitRate(): string {
    return rateOf(this.#usages);
  }

  /** The stretch that is over, or what there is of it. */
  print(): void {
    const turns = this.#stretch;
    if (turns.length === 0) return;
    if (this.#usages.length === turns.length)
      console.log('   turns   CPU ms/turn   p95   heap MB   rss MB   cache hits');
    const median = (of: (turn: Turn) => number) => at(turns.map(of), 0.5);
    const p95 = at(
      turns.map(({ cpuMs }) => cpuMs),
      0.95,
    );
    const cells = [
      String(this.#usages.length).padStart(8),
      median(({ cpuMs }) => cpuMs)
        .toFixed(1)
        .padStart(12),
      p95.toFixed(0).padStart(6),
      (median(({ heapUsed }) => heapUsed) / mebi).toFixed(0).padStart(8),
      (median(({ rss }) => rss) / mebi).toFixed(0).padStart(8),
      rateOf(turns.map(({ usage }) => usage)).padStart(10),
    ];
    console.log(cells.join('  '));
    this.#stretch = [];
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
