import { type Clock, systemClock, timedOut, unlessAborted, withTimeout } from '../time.ts';
import type { Attempt, Summarizer } from './summarizer.ts';

/**
 * Uses the first summarizer, and the last, which needs no model, when the first fails, times out, returns nothing or
 * exceeds the budget. Always produces a summary unless the caller aborts.
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
      const attempts: Attempt[] = [];
      const report = (attempt: Attempt) => {
        attempts.push(attempt);
        input.onAttempt?.(attempt);
      };
      const work = (until: AbortSignal) => first.summarize({ ...input, onAttempt: report, signal: until });
      const [outcome, summary] = await attempt({ signal, work });
      for (const attempt of summary?.attempts ?? []) if (!attempts.includes(attempt)) report(attempt);
      const text = typeof summary?.text === 'string' ? summary.text.trim() : '';
      if (summary && text !== '' && fits({ text: summary.text, budget: input.budget, count })) return summary;
      // The summarizer may count tokens differently from the caller: keep the model's narrative even if the text is too large.
      const narrative = text === '' ? undefined : summary?.narrative;
      const fallback = await last.summarize(narrative ? { ...input, narrative } : input);
      const isByFirst = narrative !== undefined && fallback.narrative !== undefined;
      const why = text === '' ? 'empty' : 'too-large';
      const reported = attempts.reduce((sum, { ms }) => sum + ms, 0);
      const failed = {
        strategy: first.strategy,
        outcome: outcome ?? why,
        ms: Math.max(0, clock.now() - started - reported),
      };
      // Attempts that were paid for before the failure stay in the record.
      if (!summary?.attempts) report(failed);
      return {
        ...fallback,
        ...(isByFirst && { strategy: summary?.strategy ?? first.strategy }),
        attempts: summary?.attempts ?? [...attempts],
      };
    },
    ...(first.tailFor && {
      tailFor: async (input) => {
        const work = async (until: AbortSignal) => first.tailFor?.({ ...input, signal: until });
        return (await attempt({ signal: input.signal, work }))[1];
      },
    }),
  };

  /** The result of the work, or why there is none. Rejects only when the caller aborts. */
  async function attempt<T>({
    signal,
    work,
  }: {
    readonly signal: AbortSignal | undefined;
    readonly work: (signal: AbortSignal) => Promise<T>;
  }): Promise<readonly ['late' | 'failed' | undefined, T | undefined]> {
    try {
      const value = await withTimeout({ work, timeout, signal, clock });
      return value === timedOut ? ['late', undefined] : [undefined, value];
    } catch {
      signal?.throwIfAborted();
      return ['failed', undefined];
    }
  }
}

/**
 * A summarizer whose result is checked against the caller's token count: a summary that is too large is made once more
 * with a smaller budget.
 *
 * @example
 * const last = createBoundedSummarizer({ summarizer: createExtractiveSummarizer(), count });
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

/** No text has more characters per token than this, so a longer text is over budget without counting. */
const charsPerToken = 50;

function fits(of: {
  readonly text: string;
  readonly budget: number;
  readonly count: (text: string) => number;
}): boolean {
  return of.text.length <= of.budget * charsPerToken && of.count(of.text) <= of.budget;
}
