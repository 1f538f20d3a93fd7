import { createMask } from '../../analysis/index.ts';
import { defaultRetryPolicy } from '../../models/internal.ts';
import { type Clock, systemClock } from '../../time.ts';
import { createTokenizer } from '../../tokens/index.ts';
import { createExtractiveSummarizer } from '../in-worker.ts';
import { humanTexts } from '../narrative/quotes.ts';
import type { Attempt, Narrative, Summarizer, Summary, SummaryInput, SummaryMode } from '../summarizer.ts';
import { type AttemptOutcome, AttemptRunner, type SummaryLimits } from './attempts.ts';
import { backendsFor, type SummaryCandidate } from './candidates.ts';
import { type FlatRecord, recordOf, sincePrevious } from './flat-record.ts';
import { type SummaryJob, type SummaryStrategy, wordsFor } from './job.ts';
import { promptVersion } from './prompts/version.ts';
import { chunked } from './strategies/chunked.ts';
import { fork } from './strategies/fork.ts';
import { full } from './strategies/full.ts';
import { simple } from './strategies/simple.ts';

const strategies: readonly { readonly name: string; readonly run: SummaryStrategy }[] = [
  { name: 'fork', run: fork },
  { name: 'full', run: full },
  { name: 'simple', run: simple },
  { name: 'chunked', run: chunked },
];

const firstStrategy: Readonly<Record<SummaryMode, number>> = { auto: 0, full: 1, simple: 2 };

const defaultLimits: SummaryLimits = {
  timeout: 120_000,
  deadline: 300_000,
  attempts: 8,
  retry: { ...defaultRetryPolicy, attempts: 2 },
};

/** Failures after which no other request to the same backend can succeed. */
const isHopeless = ({ failure }: AttemptOutcome) =>
  failure !== undefined && ['auth', 'quota', 'rate', 'network'].includes(failure.kind);

/**
 * A summarizer that has models write the narrative. Tries the candidates in order, each with these strategies until one is
 * accepted: fork of the live request, full request, flat text, pieces. The extractive summarizer adds known facts and
 * selected lines, and is the fallback if no model succeeds. Every call is recorded as an attempt.
 *
 * @example
 * const summarizer = createModelSummarizer({ models: [{ model: () => model }, await createModel({ name: 'anthropic/claude-haiku-4-5' })], mode: 'auto' });
 * const engine = await createEngine({ store, summarizer });
 */
export function createModelSummarizer({
  models,
  mode,
  last = createExtractiveSummarizer(),
  limits = {},
  clock = systemClock,
  random = Math.random,
  count,
}: {
  /** Candidates in order of preference. */
  readonly models: readonly SummaryCandidate[];
  /** The first strategy, overriding the policy; may depend on the trigger. */
  readonly mode?: SummaryMode | ((of: { readonly trigger: string | undefined }) => SummaryMode);
  /** The summarizer that needs no model. */
  readonly last?: Summarizer;
  readonly limits?: Partial<SummaryLimits>;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Counts tokens; o200k_base by default. */
  readonly count?: (text: string) => number;
}): Summarizer {
  return {
    strategy: 'model',
    last,
    async summarize(input) {
      input.signal?.throwIfAborted();
      const { signal, onAttempt } = input;
      const runner = new AttemptRunner({ limits: { ...defaultLimits, ...limits }, clock, random, signal, onAttempt });
      const accepted = await askModels({ input: sincePrevious(input), runner });
      input.signal?.throwIfAborted();
      const { narrative: _, ...rest } = input;
      const summary = await last.summarize(accepted ? { ...rest, narrative: accepted.narrative } : rest);
      return withAttempts({ summary, strategy: accepted?.strategy, attempts: runner.attempts, last });
    },
    ...(last.tailFor && { tailFor: (input) => last.tailFor?.(input) ?? Promise.resolve(undefined) }),
  };

  async function askModels({ input, runner }: { readonly input: SummaryInput; readonly runner: AttemptRunner }) {
    const { secrets = [], salt = '', live, trigger } = input;
    const backends = backendsFor({ candidates: models, conversation: live?.model ?? input.conversation });
    const counting = count ?? (await createTokenizer('o200k_base')).count;
    const start = firstStrategy[(typeof mode === 'function' ? mode({ trigger }) : mode) ?? input.mode ?? 'auto'];
    const mask = createMask({ values: secrets, salt });
    let record: Promise<FlatRecord> | undefined;
    const base: Omit<SummaryJob, 'backend' | 'inputLimit' | 'hasAlternative'> = {
      input,
      runner,
      mask,
      record: () => {
        record ??= recordOf({ input, mask });
        return record;
      },
      said: humanTexts([...input.items, ...(input.later ?? [])].map(({ message }) => message)),
      words: wordsFor(input),
      count: counting,
    };
    for (const [index, backend] of backends.entries()) {
      const found = await askBackend({ ...base, backend, hasAlternative: index < backends.length - 1 }, start);
      if (found || runner.isOver) return found;
    }
    return undefined;
  }
}

async function askBackend(job: Omit<SummaryJob, 'inputLimit'>, start: number): Promise<AcceptedNarrative | undefined> {
  let { inputLimit }: { inputLimit: number } = job.backend;
  for (const { name, run } of strategies.slice(start)) {
    if (job.runner.isOver) return undefined;
    const outcome = await run({ ...job, inputLimit });
    if (!outcome) continue;
    if ('narrative' in outcome) return { strategy: name, narrative: outcome.narrative };
    if (isHopeless(outcome)) return undefined;
    inputLimit = Math.min(inputLimit, reportedLimit(outcome) ?? inputLimit);
  }
  return undefined;
}

interface AcceptedNarrative {
  readonly strategy: string;
  readonly narrative: Narrative;
}

/** The limit that a provider reported, minus room for the answer. */
function reportedLimit({ failure }: AttemptOutcome): number | undefined {
  return failure?.kind === 'overflow' && failure.limit !== undefined ? Math.floor(failure.limit * 0.85) : undefined;
}

function withAttempts({
  summary,
  strategy,
  attempts,
  last,
}: {
  readonly summary: Summary;
  readonly strategy: string | undefined;
  readonly attempts: readonly Attempt[];
  readonly last: Summarizer;
}): Summary {
  // If rules and quotations leave no room for the narrative, the summary counts as made without a model.
  const isByModel = strategy !== undefined && summary.narrative !== undefined;
  const { details } = summary;
  return {
    ...summary,
    strategy: isByModel ? strategy : (summary.strategy ?? last.strategy),
    ...(isByModel && { details: { ...(details as object | undefined), prompt: promptVersion } }),
    attempts,
  };
}
