import { createMask } from '../../analysis/index.ts';
import { createTokenizer } from '../../tokens/index.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createExtractiveSummarizer } from '../in-worker.ts';
import { humanTexts } from '../narrative/quoted.ts';
import type { Attempt, Narrative, Summarizer, Summary, SummaryInput, SummaryMode } from '../summarizer.ts';
import { type SummaryLimits, type AttemptOutcome, AttemptRunner } from './attempts.ts';
import { type SummaryCandidate, backendsFor } from './candidates.ts';
import { type FlatRecord, recordOf, sincePrevious } from './flat/record.ts';
import { type SummaryJob, type SummaryStrategy, wordsFor } from './job.ts';
import { promptVersion } from './prompts/version.ts';
import { chunked } from './strategies/chunked.ts';
import { fork } from './strategies/fork.ts';
import { full } from './strategies/full.ts';
import { simple } from './strategies/simple.ts';

const strategies: readonly { readonly name: string; readonly climb: SummaryStrategy }[] = [
  { name: 'fork', climb: fork },
  { name: 'full', climb: full },
  { name: 'simple', climb: simple },
  { name: 'chunked', climb: chunked },
];

const first: Readonly<Record<SummaryMode, number>> = { auto: 0, full: 1, simple: 2 };

const usualLimits: SummaryLimits = {
  timeout: 120_000,
  deadline: 300_000,
  attempts: 8,
  retry: { attempts: 2, baseMs: 2_000, maxMs: 60_000 },
};

/** After these no other request to the same one is worth a try. */
const isHopeless = ({ failure }: AttemptOutcome) =>
  failure !== undefined && ['auth', 'quota', 'rate', 'network'].includes(failure.kind);

/**
 * A summarizer that has models write the narrative: as a fork of the live request, in full, as flat text, in pieces, each
 * way only where the one before failed, and each candidate in turn. What is certain is written around it by the one that
 * needs no model; where no model gives anything that can be taken, that one is what is left. A summary always comes of
 * it, with an account of every call.
 *
 * @example
 * const summarizer = createModelSummarizer({ models: [{ model: () => current }, small], mode: 'auto' });
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
  /** Who is asked, the first first; each once for every strategy. */
  readonly models: readonly SummaryCandidate[];
  /** With which strategy to begin, whatever the policy says; may depend on why a summary is made. */
  readonly mode?: SummaryMode | ((of: { readonly trigger: string | undefined }) => SummaryMode);
  /** The one that needs no model. */
  readonly last?: Summarizer;
  readonly limits?: Partial<SummaryLimits>;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Counts tokens; by default as o200k_base does. */
  readonly count?: (text: string) => number;
}): Summarizer {
  return {
    strategy: 'model',
    last,
    async summarize(input) {
      input.signal?.throwIfAborted();
      const { signal, onAttempt } = input;
      const tries = new AttemptRunner({ limits: { ...usualLimits, ...limits }, clock, random, signal, onAttempt });
      const accepted = await climb({ input: sincePrevious(input), tries });
      input.signal?.throwIfAborted();
      const { narrative: _, ...order } = input;
      const summary = await last.summarize(accepted ? { ...order, narrative: accepted.narrative } : order);
      return withAttempts({ summary, strategy: accepted?.strategy, attempts: tries.attempts, last });
    },
    ...(last.tailFor && { tailFor: (input) => last.tailFor?.(input) ?? Promise.resolve(undefined) }),
  };

  async function climb({ input, tries }: { readonly input: SummaryInput; readonly tries: AttemptRunner }) {
    const { secrets = [], salt = '', live, trigger } = input;
    const voices = backendsFor({ candidates: models, conversation: live?.model ?? input.conversation });
    const counting = count ?? (await createTokenizer('o200k_base')).count;
    const start = first[(typeof mode === 'function' ? mode({ trigger }) : mode) ?? input.mode ?? 'auto'];
    const mask = createMask({ values: secrets, salt });
    let record: Promise<FlatRecord> | undefined;
    const base: Omit<SummaryJob, 'voice' | 'room' | 'hasOther'> = {
      input,
      runner: tries,
      mask,
      record: () => {
        record ??= recordOf({ input, mask });
        return record;
      },
      said: humanTexts([...input.items, ...(input.later ?? [])].map(({ message }) => message)),
      words: wordsFor(input),
      count: counting,
    };
    for (const [index, voice] of voices.entries()) {
      const found = await climbWith({ ...base, backend: voice, hasOther: index < voices.length - 1 }, start);
      if (found || tries.isOver) return found;
    }
    return undefined;
  }
}

async function climbWith(job: Omit<SummaryJob, 'room'>, start: number): Promise<Accepted | undefined> {
  let { room }: { room: number } = job.backend;
  for (const { name, climb } of strategies.slice(start)) {
    if (job.runner.isOver) return undefined;
    const outcome = await climb({ ...job, inputLimit: room });
    if (!outcome) continue;
    if ('narrative' in outcome) return { strategy: name, narrative: outcome.narrative };
    if (isHopeless(outcome)) return undefined;
    room = Math.min(room, learned(outcome) ?? room);
  }
  return undefined;
}

interface Accepted {
  readonly strategy: string;
  readonly narrative: Narrative;
}

/** What a provider said of its limit, less what an answer takes. */
function learned({ failure }: AttemptOutcome): number | undefined {
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
  // Where rules and people's words leave no room for it, it is a summary without a model all the same.
  const isByModel = strategy !== undefined && summary.narrative !== undefined;
  const { details } = summary;
  return {
    ...summary,
    strategy: isByModel ? strategy : (summary.strategy ?? last.strategy),
    ...(isByModel && { details: { ...(details as object | undefined), prompt: promptVersion } }),
    attempts,
  };
}
