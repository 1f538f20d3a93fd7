import { reserveFor } from '../../tokens/index.ts';

/** What is assumed of a model of which nothing is known (sessions.md 7.3). */
const unknownWindow = 128_000;

/** A branch is told in a tenth of what is read of it, and never in more than this. */
const largestSummary = 8_000;

/** A summary below this says nothing. */
const smallestSummary = 300;

export interface BranchBudget {
  /** How much of a branch is read. */
  readonly read: number;
  /** How much is told of it. */
  readonly told: number;
}

/**
 * How much of a branch is read to make a summary of it, and how long that may be, in tokens. The reserve is 16,384, of a
 * small window 15 %: taken from a window of 8,000 as it is, pi's reserve leaves less than nothing, which it takes for no
 * limit at all (sessions.md 7.3).
 *
 * @example
 * branchBudget({ window: 200_000 }).read; // 183_616
 */
export function branchBudget({ window = unknownWindow }: { readonly window?: number | undefined }): BranchBudget {
  const known = window > 0 ? window : unknownWindow;
  const read = known - reserveFor({ window: known });
  return { read, told: Math.max(smallestSummary, Math.min(largestSummary, Math.floor(read / 10))) };
}
