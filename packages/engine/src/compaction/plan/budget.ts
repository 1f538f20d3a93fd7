import { reserveFor } from '../../tokens/index.ts';
import { badThreshold } from '../errors.ts';

/** How much may be sent, and how much shall be left after a compaction. All in tokens, tools included. */
export interface Budget {
  /** What the model takes, or less where its user or a provider's error said so. */
  readonly window: number;
  /** Kept free for the answer. */
  readonly reserve: number;
  /** No request is larger. */
  readonly limit: number;
  /** From here on it is time for a compaction. */
  readonly threshold: number;
  /** What a compaction leaves at most. */
  readonly target: number;
  /** What a compaction has to free to be worth it. */
  readonly minimum: number;
}

/** A request in which less than this is left for the conversation is no use. */
export const smallestRoom = 200;

/** A long conversation is not better remembered by a larger excerpt than this; tokens cost money on every request. */
const largestTarget = 64_000;

/**
 * The arithmetic of a window. `threshold` is a share of the window in (0, 1] or a number of tokens from 100 on; what lies
 * between is a mistake. The smaller of threshold and limit holds. With tools on offer a tenth is left for what their
 * definitions cost beyond our count of them.
 *
 * @example
 * budgetOf({ window: 200_000 }).limit; // 183_616
 * budgetOf({ window: 24_000, threshold: 0.8 }).threshold; // 19_200
 */
export function budgetOf({
  window,
  threshold,
  hasTools = false,
  reserve = reserveFor({ window }),
}: {
  readonly window: number;
  readonly threshold?: number;
  readonly hasTools?: boolean;
  readonly reserve?: number;
}): Budget {
  const limit = window - reserve;
  const asked = threshold === undefined ? limit : tokensOf({ threshold, window });
  const base = Math.min(asked, limit);
  const safe = hasTools ? Math.floor(base * 0.9) : base;
  const target = Math.min(largestTarget, Math.floor(safe * 0.5));
  return { window, reserve, limit, threshold: safe, target, minimum: Math.ceil(safe * 0.1) };
}

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
