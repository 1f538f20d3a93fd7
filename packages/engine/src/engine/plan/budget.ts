import { badThreshold } from '../errors.ts';
import type { Budget } from '../types.ts';

/** A request in which less than this is left for the conversation is no use. */
export const smallestRoom = 200;

/** A long conversation is not better remembered by a larger excerpt than this; tokens cost money on every request. */
const largestExcerpt = 64_000;

/** Of what the head leaves of the threshold, so much is filled after a compaction. */
const excerptShare = 0.5;

/** The same after one that was asked for: it is not followed by another one on its own, so it may keep more. */
const askedShare = 0.6;

/**
 * Large pending input leaves little free, and a share of that is too little to work from. It becomes part of the summary at
 * the next compaction, so until then the excerpt keeps this share of what it would have without it, within the second
 * share of what is free.
 */
const shareWithPending = { ofUsual: 0.5, ofFree: 0.75 };

/**
 * The arithmetic of a window (features D7). `threshold` is a share of the window in (0, 1] or a number of tokens from 100
 * on; what lies between is a mistake. The smaller of threshold and limit holds. With tools on offer a tenth of what they
 * leave, or as much as they have, stays free for what their definitions cost beyond our count, until a provider has
 * counted them.
 *
 * @example
 * budgetOf({ window: 200_000 }).limit; // 183_616
 * budgetOf({ window: 24_000, threshold: 0.8 }).threshold; // 19_200
 */
export function budgetOf({
  window,
  threshold,
  toolTokens = 0,
  headTokens = toolTokens,
  isConfirmed = false,
  reserve = defaultReserve,
  afterTools = 0.9,
  fitsThreshold = false,
  fits = 'reserve',
}: {
  readonly window: number;
  readonly threshold?: number | undefined;
  readonly toolTokens?: number;
  /** What the head takes, tools included. */
  readonly headTokens?: number;
  /** Whether a provider has counted a request with this head and these tools. */
  readonly isConfirmed?: boolean;
  readonly reserve?: { readonly tokens: number; readonly share: number };
  readonly afterTools?: number;
  /** Whether with tools no request may be larger than the threshold, either. */
  readonly fitsThreshold?: boolean;
  /** What the upper bound has to fit into: what the reserve leaves, or the window. */
  readonly fits?: 'reserve' | 'window';
}): Budget {
  const free = Math.floor(Math.min(reserve.tokens, window * reserve.share));
  const most = window - free;
  const base = threshold === undefined ? window : Math.min(tokensOf({ threshold, window }), window);
  const asked = Math.min(base, most);
  const safe = toolTokens === 0 ? asked : toolTokens + Math.max(1, Math.floor((asked - toolTokens) * afterTools));
  const whole = fits === 'window' ? window : most;
  const isRenderedInto = fitsThreshold && toolTokens > 0;
  const likely = isRenderedInto ? Math.min(most, safe) : whole;
  const limit = fits === 'window' ? window : likely;
  const target = Math.floor(headTokens + excerptOf({ threshold: safe, head: headTokens }));
  const rest = { target, minimum: Math.ceil(safe * 0.1) };
  // A compaction changes what is sent, so that its result is not confirmed: it is planned by the smallest threshold.
  const uncertain = isConfirmed ? 0 : Math.min(toolTokens, asked - safe);
  const due = isRenderedInto ? safe : asked - uncertain;
  return { window, base, reserve: free, limit, likely, threshold: due, planned: safe, ...rest };
}

/**
 * How many tokens a compaction leaves for the summary and what stays verbatim: a share of what the head and the pending
 * input leave free, so that a large head does not starve the summary while the window is half empty.
 *
 * @example
 * excerptOf({ threshold: 100_000, head: 40_000 }); // 30_000
 */
export function excerptOf({
  threshold,
  head,
  pending = 0,
  isByHand = false,
}: {
  readonly threshold: number;
  readonly head: number;
  readonly pending?: number;
  /** Whether the user asked for the compaction. */
  readonly isByHand?: boolean;
}): number {
  const share = isByHand ? askedShare : excerptShare;
  const regular = Math.max(0, threshold - head) * share;
  const free = Math.max(0, threshold - head - pending);
  const least = Math.min(regular * shareWithPending.ofUsual, free * shareWithPending.ofFree);
  return Math.min(largestExcerpt, Math.max(least, free * share));
}

/** Of a small window less. */
const defaultReserve = { tokens: 16_384, share: 0.15 };

function tokensOf({ threshold, window }: { readonly threshold: number; readonly window: number }): number {
  if (threshold > 0 && threshold <= 1) return Math.floor(window * threshold);
  if (threshold >= 100 && Number.isFinite(threshold)) return Math.floor(threshold);
  throw badThreshold(threshold);
}

/**
 * What stays verbatim at the end: 20,000 tokens, of a small window no more than 40 %.
 *
 * @example
 * keepRecentFor({ window: 24_000 }); // 9_600
 */
export function keepRecentFor({ window }: { readonly window: number }): number {
  return Math.min(20_000, Math.floor(window * 0.4));
}
