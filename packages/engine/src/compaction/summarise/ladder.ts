import type { Summariser, Summary, SummaryInput } from './summariser.ts';

/**
 * Two ways to make a summary, of which the last needs no model. Where the first fails, takes too long, says nothing or
 * says more than it may, the last is taken: a summary always comes of it. Whoever asked may give up at any time.
 *
 * @example
 * const summariser = createLadder({ first: byModel, last, count, patience: 30_000 });
 */
export function createLadder({
  first,
  last,
  count,
  patience,
}: {
  readonly first: Summariser;
  readonly last: Summariser;
  readonly count: (text: string) => number;
  /** Milliseconds. */
  readonly patience: number;
}): Summariser {
  return {
    rung: first.rung,
    async summarise(input) {
      const summary = await tried({ input, patience, work: (signal) => checked({ ...input, signal }) });
      return summary ?? (await last.summarise(input));
    },
    ...(first.tailFor && {
      tailFor: (input) => tried({ input, patience, work: async (signal) => first.tailFor?.({ ...input, signal }) }),
    }),
  };

  async function checked(input: SummaryInput): Promise<Summary | undefined> {
    const summary: Summary | undefined = await first.summarise(input);
    const text = typeof summary?.text === 'string' ? summary.text : '';
    return text.trim() !== '' && fits({ text, budget: input.budget, count }) ? summary : undefined;
  }
}

/**
 * The last rung by itself. It may count otherwise than whoever asks: what comes out too large is made once more, in less.
 *
 * @example
 * const sure = createLastRung({ summariser: createExtractiveSummariser(), count });
 */
export function createLastRung({
  summariser,
  count,
}: {
  readonly summariser: Summariser;
  readonly count: (text: string) => number;
}): Summariser {
  const { rung, tailFor } = summariser;
  return {
    rung,
    async summarise(input) {
      const summary = await unlessAborted({ work: summariser.summarise(input), signal: input.signal });
      if (fits({ text: summary.text, budget: input.budget, count })) return { ...summary, rung };
      const budget = Math.floor((input.budget ** 2 / count(summary.text)) * 0.9);
      return {
        ...(await unlessAborted({ work: summariser.summarise({ ...input, budget }), signal: input.signal })),
        rung,
      };
    },
    ...(tailFor && { tailFor: (input) => unlessAborted({ work: tailFor(input), signal: input.signal }) }),
  };
}

/** What comes of the work within the time; nothing where it fails. Only whoever asked can stop it with an error. */
async function tried<T>({
  input: { signal },
  patience,
  work,
}: {
  readonly input: { readonly signal?: AbortSignal | undefined };
  readonly patience: number;
  readonly work: (signal: AbortSignal) => Promise<T>;
}): Promise<T | undefined> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), patience);
  const either = AbortSignal.any([late.signal, ...(signal ? [signal] : [])]);
  try {
    return await unlessAborted({ work: work(either), signal: either });
  } catch {
    signal?.throwIfAborted();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** The outcome of the work, or the reason of the abort: whoever does not listen to a signal is not waited for. */
async function unlessAborted<T>({
  work,
  signal,
}: {
  readonly work: Promise<T>;
  readonly signal: AbortSignal | undefined;
}): Promise<T> {
  if (!signal) return await work;
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([work, ended.promise]);
  } finally {
    signal.removeEventListener('abort', end);
  }
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
