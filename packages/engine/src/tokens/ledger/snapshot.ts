import { nothing, type Share, shares, type TokenShares, total } from '../content/shares.ts';
import type { Estimate } from '../estimate/calibration.ts';

/** How the window is filled: the shares, `reserve` and `free` add up to `window`, unless it is overfull. */
export interface Snapshot extends TokenShares {
  readonly window: number;
  /** The likely size of the prompt, and a size it hardly ever exceeds. */
  readonly used: number;
  readonly bound: number;
  /** Kept free for the answer. */
  readonly reserve: number;
  readonly free: number;
  /** How much of `used` a provider has confirmed. */
  readonly confirmed: number;
}

/**
 * What is kept free for the answer: 16,384 tokens, but of a small window no more than 15 %.
 *
 * @example
 * reserveFor({ window: 200_000 }); // 16_384
 * reserveFor({ window: 24_000 }); // 3_600
 */
export function reserveFor({ window }: { readonly window: number }): number {
  return Math.min(16_384, Math.floor(window * 0.15));
}

export function makeSnapshot(of: {
  readonly window: number;
  readonly reserve: number;
  readonly raw: TokenShares;
  readonly used: Estimate;
  readonly confirmed: number;
}): Snapshot {
  const { window, reserve, used, confirmed } = of;
  return {
    ...scaled({ raw: of.raw, to: used.tokens }),
    window,
    used: used.tokens,
    bound: used.bound,
    reserve,
    free: Math.max(0, window - reserve - used.tokens),
    confirmed,
  };
}

/** The same proportions with another sum; whole numbers that add up to it exactly. */
function scaled({ raw, to }: { readonly raw: TokenShares; readonly to: number }): TokenShares {
  const sum = total(raw);
  if (sum === 0) return { ...nothing, messages: to };
  const split: Record<Share, number> = { ...nothing };
  let [seen, given] = [0, 0];
  for (const share of shares) {
    seen += raw[share];
    const upTo = Math.round((seen / sum) * to);
    split[share] = upTo - given;
    given = upTo;
  }
  return split;
}
