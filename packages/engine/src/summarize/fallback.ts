import { type Clock, systemClock } from './clock.ts';
import type { Attempt, Summarizer } from './summarizer.ts';
import { late, unlessAborted, within } from './timeout.ts';

/**
 * Two ways to make a summary, of which the last needs no model. Where the first fails, takes too long, says nothing or
 * says more than it may, the last is taken: a summary always comes of it. Whoever asked may give up at any time.
 *
 * @example
 * const summarizer = createFallbackSummarizer({ first: byModel, last, count, timeout: 30_000 });
 */
export function createFallbackSummarizer({
  first,
  last,
  count,
  timeout,
  clock = systemClock,
}: {
  readonly first: Summarizer;
  readonly last: Summarizer;
  readonly count: (text: string) => number;
  /** Milliseconds. */
  readonly timeout: number;
  readonly clock?: Clock;
}): Summarizer {
  return {
    strategy: first.strategy,
    async summarize(input) {
      const started = clock.now();
      const { signal } = input;
      const told: Attempt[] = [];
      const tell = (attempt: Attempt) => {
        told.push(attempt);
        input.onAttempt?.(attempt);
      };
      const work = (until: AbortSignal) => first.summarize({ ...input, onAttempt: tell, signal: until });
      const [outcome, summary] = await tried({ signal, work });
      for (const attempt of summary?.attempts ?? []) if (!told.includes(attempt)) tell(attempt);
      const text = typeof summary?.text === 'string' ? summary.text.trim() : '';
      if (summary && text !== '' && fits({ text: summary.text, budget: input.budget, count })) return summary;
      // It counts otherwise than whoever asks: what a model wrote is not to be lost over that.
      const narrative = text === '' ? undefined : summary?.narrative;
      const sure = await last.summarize(narrative ? { ...input, narrative } : input);
      const isItsOwn = narrative !== undefined && sure.narrative !== undefined;
      const why = text === '' ? 'empty' : 'too-large';
      const before = told.reduce((sum, { ms }) => sum + ms, 0);
      const vain = {
        strategy: first.strategy,
        outcome: outcome ?? why,
        ms: Math.max(0, clock.now() - started - before),
      };
      // What it paid for before it came to nothing is not to be forgotten.
      if (!summary?.attempts) tell(vain);
      return {
        ...sure,
        ...(isItsOwn && { strategy: summary?.strategy ?? first.strategy }),
        attempts: summary?.attempts ?? [...told],
      };
    },
    ...(first.tailFor && {
      tailFor: async (input) => {
        const work = async (until: AbortSignal) => first.tailFor?.({ ...input, signal: until });
        return (await tried({ signal: input.signal, work }))[1];
      },
    }),
  };

  /** What comes of the work within the time, or why nothing did. Only whoever asked can stop it with an error. */
  async function tried<T>({
    signal,
    work,
  }: {
    readonly signal: AbortSignal | undefined;
    readonly work: (signal: AbortSignal) => Promise<T>;
  }): Promise<readonly ['late' | 'failed' | undefined, T | undefined]> {
    try {
      const value = await within({ work, timeout, signal, clock });
      return value === late ? ['late', undefined] : [undefined, value];
    } catch {
      signal?.throwIfAborted();
      return ['failed', undefined];
    }
  }
}

/**
 * The last strategy by itself. It may count otherwise than whoever asks: what comes out too large is made once more, in less.
 *
 * @example
 * const sure = createBoundedSummarizer({ summarizer: createExtractiveSummarizer(), count });
 */
export function createBoundedSummarizer({
  summarizer,
  count,
}: {
  readonly summarizer: Summarizer;
  readonly count: (text: string) => number;
}): Summarizer {
  const { strategy, tailFor } = summarizer;
  return {
    strategy,
    async summarize(input) {
      const summary = await unlessAborted({ work: summarizer.summarize(input), signal: input.signal });
      if (fits({ text: summary.text, budget: input.budget, count })) return { ...summary, strategy };
      const budget = Math.floor((input.budget ** 2 / count(summary.text)) * 0.9);
      return {
        ...(await unlessAborted({ work: summarizer.summarize({ ...input, budget }), signal: input.signal })),
        strategy,
      };
    },
    ...(tailFor && { tailFor: (input) => unlessAborted({ work: tailFor(input), signal: input.signal }) }),
  };
}

/** Longer than any text of so many tokens; what is longer need not be counted. */
const charsPerToken = 50;

function fits(of: {
  readonly text: string;
  readonly budget: number;
  readonly count: (text: string) => number;
}): boolean {
  return of.text.length <= of.budget * charsPerToken && of.count(of.text) <= of.budget;
}
