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
  readonly #rows: Row[] = [];
  compactions = 0;
  calls = 0;
  failedCalls = 0;

  constructor({ every }: { readonly every: number }) {
    this.#every = every;
  }

  add(reported: Told): void {
    if (reported.type === 'compaction') {
      this.compactions += 1;
      this.#strategies.set(reported.strategy, (this.#strategies.get(reported.strategy) ?? 0) + 1);
    }
    if (reported.type === 'call') {
      this.calls += 1;
      if (reported.isError) this.failedCalls += 1;
    }
    if (reported.type !== 'turn') return;
    this.#stretch.push(reported);
    this.#usages.push(reported.usage);
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
    if (turns.length === this.#every) {
      this.#rows.push({ turns: this.#usages.length, p95, rss: median(({ rss }) => rss) / mebi });
    }
    this.#stretch = [];
  }

  /** How the last whole stretch compares with the one that ends at about 1,000 turns; `undefined` in a short run. */
  get growth(): string | undefined {
    const early = this.#rows.find(({ turns }) => turns >= earlyTurns);
    const late = this.#rows.at(-1);
    if (!early || !late || late.turns < 2 * early.turns) return undefined;
    const ratio = (of: (row: Row) => number) => (of(late) / of(early)).toFixed(2);
    const ends = `${early.turns.toLocaleString('en')} to ${late.turns.toLocaleString('en')} turns`;
    return `from ${ends}: p95 x ${ratio(({ p95 }) => p95)} (at most 1.5), rss x ${ratio(({ rss }) => rss)}`;
  }
}

/** What a stretch of turns took. */
interface Row {
  readonly turns: number;
  readonly p95: number;
  readonly rss: number;
}

/** After so many turns everything that has a bound has reached it. */
const earlyTurns = 1_000;

function rateOf(usages: readonly Usage[]): string {
  const all = usages.reduce((sum, usage) => sum + promptTokens(usage), 0);
  const read = usages.reduce((sum, usage) => sum + usage.cacheRead, 0);
  return all === 0 ? '-' : `${((100 * read) / all).toFixed(1)} %`;
}

function at(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN;
}
