import type { JudgeDialect } from '../judge/index.ts';
import type { CacheUnit } from './units.ts';

const minute = 60_000;
const lives = { '5m': 5 * minute, '1h': 60 * minute };
/** How far before a breakpoint Anthropic looks for an older entry ("up to 20 blocks", caching guide). */
const lookback = 20;

/** Tokens of a prompt by cache use. */
export interface PrefixCacheUse {
  read: number;
  write: number;
  writeHour: number;
}

interface CachedPrompt {
  dialect: JudgeDialect;
  units: readonly CacheUnit[];
  chain: readonly string[];
  sums: readonly number[];
}

/** The prompt cache of a provider: prefixes by hash, each with a lifetime that a hit extends. */
export class PrefixCache {
  readonly #entries = new Map<string, { life: number; until: number }>();
  readonly #now: () => number;
  readonly #minimum: number;

  constructor({ now, minimum }: { now: () => number; minimum: number }) {
    this.#now = now;
    this.#minimum = minimum;
  }

  /** Looks up a prompt, stores it, and returns what was read and written. */
  use(prompt: CachedPrompt): PrefixCacheUse {
    return prompt.dialect === 'anthropic' ? this.#useBreakpoints(prompt) : this.#usePrefix(prompt);
  }

  /** Anthropic: entries exist only at breakpoints. */
  #useBreakpoints({ units, chain, sums }: CachedPrompt): PrefixCacheUse {
    const marks = units.flatMap(({ mark }, at) => (mark && (sums[at] ?? 0) >= this.#minimum ? [{ at, mark }] : []));
    const hit = marks
      .map(({ at }) => this.#hit({ chain, from: at, to: Math.max(0, at - lookback) }))
      .reduce((best, each) => Math.max(best, each), -1);
    const read = sums[hit] ?? 0;
    let done = read;
    let writeHour = 0;
    for (const { at, mark } of marks) {
      this.#write({ hash: chain[at], life: lives[mark] });
      const size = (sums[at] ?? 0) - done;
      if (size <= 0) continue;
      done += size;
      if (mark === '1h') writeHour += size;
    }
    return { read, write: done - read, writeHour };
  }

  /** OpenAI ("1,024 tokens or more, in steps of 128") and Gemini (implicit): any prefix, automatically. */
  #usePrefix({ dialect, chain, sums }: CachedPrompt): PrefixCacheUse {
    const hit = this.#hit({ chain, from: chain.length - 1, to: 0 });
    const step = dialect === 'gemini' ? 1 : 128;
    const read = this.#stepped({ tokens: sums[hit] ?? 0, step });
    const all = this.#stepped({ tokens: sums.at(-1) ?? 0, step });
    for (const hash of chain) this.#write({ hash, life: lives['5m'] });
    return { read, write: Math.max(0, all - read), writeHour: 0 };
  }

  #stepped({ tokens, step }: { tokens: number; step: number }): number {
    return tokens < this.#minimum ? 0 : tokens - ((tokens - this.#minimum) % step);
  }

  #hit({ chain, from, to }: { chain: readonly string[]; from: number; to: number }): number {
    for (let at = from; at >= to; at--) {
      const entry = this.#entries.get(chain[at] ?? '');
      if (!entry || entry.until <= this.#now()) continue;
      entry.until = this.#now() + entry.life;
      return at;
    }
    return -1;
  }

  #write({ hash, life }: { hash: string | undefined; life: number }): void {
    if (hash !== undefined) this.#entries.set(hash, { life, until: this.#now() + life });
  }
}
