import type { Policy } from '../policy/policy.ts';
import type { Budget } from '../types.ts';
import { excerptOf, keepRecentFor } from './budget.ts';
import { smallestSummary } from './propose.ts';

/** What there is to compact, by our own count. */
export interface ContextSizes {
  /** The head, tools included. */
  readonly head: number;
  /** The pending input. */
  readonly pending: number;
  /** Everything else that is sent. */
  readonly older: number;
  /** What was said in all, as it was said, without the pending input; counted only as far as it matters. */
  readonly source: (most: number) => number;
  /** Whether the newest summary in it was made by another program, which wrote it from less than was said. */
  readonly isForeign?: boolean;
  /** The newest rounds that the policy keeps, with everything behind them. */
  readonly rounds: number;
  /** What fits into the limit, by the bound. */
  readonly whole: number;
  /** What of it head and pending input leave. */
  readonly spare: number;
  /** How many tokens of the provider one of ours is; at least 1. */
  readonly ratio: number;
}

/** How the room behind the head is divided. In tokens by our own count. */
export interface CompactionRoom {
  /** For the summary and the older tail. */
  readonly excerpt: number;
  /** What stays verbatim at the end, pending input included. */
  readonly keepRecent: number;
  /** Whether that is a minimum, not a maximum. */
  readonly keepsWhole: boolean;
  readonly leastSummary: number;
  readonly mostSummary?: number;
}

/** Of what head and pending input leave of the limit by their bound, so much is filled: there must be room to grow. */
const roomy = 0.75;

/** The smallest summary where hardly anything fits, and the largest where the pending input itself has to be reduced. */
const minimalSummary = { least: 100, most: 1_000 };

/** A tail that is kept as a whole leaves a compaction this share of the threshold to free, or it would be due again at once. */
const leastGain = 0.3;

/** Of what was said in all, a compaction by hand leaves at most this share. */
const mostOfSaid = 0.6;

/** Of what is sent with another program's summary, a compaction by hand leaves at most this share. */
const mostOfForeign = 0.8;

/** A tail may be larger by this share to end at a place where a cut is legal. */
const overshoot = 0.5;

/**
 * How much a compaction leaves, and of what. The summary shrinks first, then the older tail; head and pending input are
 * not part of the division.
 *
 * @example
 * const { excerpt, keepRecent } = roomFor({ policy, budget, sizes, minimum: budget.minimum, isForced: false, share: 1 });
 */
export function divideRoom({
  policy,
  budget,
  sizes,
  minimum,
  isForced,
  isByHand = false,
  coming = 0,
  share,
}: {
  readonly policy: Pick<Policy, 'keep'> & { readonly summarize: Pick<Policy['summarize'], 'maxTokens'> };
  readonly budget: Pick<Budget, 'window' | 'planned'>;
  readonly sizes: ContextSizes;
  /** What it has to free, in the provider's measure. */
  readonly minimum: number;
  /** The request does not fit: whatever frees something is worth it. */
  readonly isForced: boolean;
  readonly isByHand?: boolean;
  /** What will be added before it is installed, in the provider's measure. */
  readonly coming?: number;
  /** Of the excerpt: each further attempt leaves less. */
  readonly share: number;
}): CompactionRoom {
  const { head, pending, older, spare, ratio } = sizes;
  const { keep } = policy;
  const { maxTokens } = policy.summarize;
  const leastSummary = leastFor(sizes);
  const isFlexible = 'tokens' in keep && keep.flexible === true;
  const wanted = 'rounds' in keep ? sizes.rounds : keep.tokens / ratio;
  const tail = isFlexible ? 0 : Math.max(0, wanted - pending);
  const half = excerptOf({ threshold: budget.planned, head: head * ratio, pending: pending * ratio, isByHand }) / ratio;
  const summary = maxTokens === undefined ? half : maxTokens / ratio;
  const regular = isFlexible ? summary : Math.max(tail * (1 + overshoot) + summary, tail + minimalSummary.most);
  const most = isByHand ? byHand() : unasked();
  const excerpt = Math.max(leastSummary, Math.floor(most * share));
  const fits = Math.max(0, excerpt - Math.min(minimalSummary.most, excerpt / 10));
  const keepRecent = isFlexible ? Math.min(wanted, keepRecentFor({ window: budget.window }) / ratio) * share : wanted;
  return {
    excerpt,
    keepRecent: Math.floor(isFlexible ? keepRecent : Math.min(keepRecent, pending + fits)),
    keepsWhole: tail > 0,
    leastSummary,
    ...(maxTokens !== undefined && { mostSummary: Math.max(leastSummary, Math.floor(maxTokens / ratio)) }),
  };

  /** It has to fit by its bound, and it has to free the minimum. */
  function unasked(): number {
    const fitting = Math.max(spare * roomy, Math.min(spare, tail + minimalSummary.most));
    const least = Math.max(isForced ? 0 : minimum, tail > 0 ? budget.planned * leastGain : 0);
    const all = Math.min(regular, fitting, least > 0 ? older - least / ratio : regular);
    const filled = Math.max(all / 2, all - coming / ratio);
    // Where nothing forces it, a tail that would have to be cut is a reason to wait.
    return isForced || tail === 0 ? filled : Math.max(filled, Math.min(fitting, tail + leastSummary));
  }

  /**
   * A share of what was said, as it was said, so that a compaction right after another one gains nothing. The tail stays as
   * large as it is meant to be, unless hardly anything else would be left to compact. A summary of another program hides
   * most of what was said: one of ours that is smaller tells more of it.
   */
  function byHand(): number {
    const said = sizes.source(2 * regular + tail);
    const rest = said - tail > said / 4 ? tail + (said - tail) * mostOfSaid : said * mostOfSaid;
    const shown = sizes.isForeign ? Math.max(tail + minimalSummary.most, older * mostOfForeign) : regular;
    return Math.min(regular, rest, shown, Math.max(spare, leastSummary));
  }
}

/** The smallest summary that is made; it shrinks before the pending input does. */
function leastFor({ head, whole, spare }: Pick<ContextSizes, 'head' | 'whole' | 'spare'>): number {
  if (spare >= minimalSummary.least) return Math.min(smallestSummary, spare);
  if (spare > 0) return minimalSummary.least;
  return Math.min(minimalSummary.most, Math.max(smallestSummary, Math.floor((whole - head) / 10)));
}
