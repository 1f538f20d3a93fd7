import type { Budget } from '../plan/budget.ts';

/** When and how a conversation is made smaller. Presets are values of this. */
export interface Policy {
  readonly name: string;
  /** A share of the window in (0, 1], or tokens from 100 on; by default what the answer leaves free. */
  readonly threshold?: number;
  /** Whether anything happens unasked. What no longer fits is made to fit all the same. */
  readonly automatic: boolean;
  /** Whether old tool outputs are elided before a compaction is thought of. */
  readonly prunes: boolean;
  /**
   * Results of tools above so many bytes are kept aside when they come: a pointer with schema, preview and handle is sent
   * in their place. 8,192 is what editors take; without it only what would fill half the window is cut.
   */
  readonly offloads?: number;
  /** How many milliseconds a turn waits for a summary before the one is taken that needs no model. */
  readonly patience: number;
}

/** Ours: prunes first, compacts when the answer would no longer fit. */
export const longhaulPolicy: Policy = { name: 'longhaul', automatic: true, prunes: true, patience: 30_000 };

export type Decision = 'nothing' | 'relieve' | 'force';

/**
 * What to do before a request. A pure function: `relieve` where a preset says it is time, `force` where the request would
 * not fit.
 *
 * @example
 * decide({ policy, budget, tokens: 190_000, bound: 195_000, isHeld: false }); // 'force'
 */
export function decide({
  policy,
  budget,
  tokens,
  bound,
  isHeld,
}: {
  readonly policy: Policy;
  readonly budget: Budget;
  readonly tokens: number;
  readonly bound: number;
  /** A compaction was undone: nothing happens unasked until the window forces it. */
  readonly isHeld: boolean;
}): Decision {
  if (bound > budget.limit) return 'force';
  if (policy.automatic && !isHeld && tokens > budget.threshold) return 'relieve';
  return 'nothing';
}
