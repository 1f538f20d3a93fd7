import type { BreakpointPolicy } from './rules.ts';

/** One step of fitting a prompt. */
export interface FitStep {
  /** Nodes were pruned, a breakpoint was dropped, or nothing more could be pruned. */
  readonly action: 'pruned' | 'dropped-breakpoint' | 'blocked';
  /** Path: element classes, and roles for messages. */
  readonly at: string;
  /** Number of pruned nodes. */
  readonly removed: number;
  /**
   * Whether something was pruned without a priority of its own or an ancestor: nothing in the prompt says that it may
   * be.
   */
  readonly isUnranked?: boolean;
  /** Token count of the prompt afterwards. */
  readonly tokens: number;
}

/** How a prompt was made to fit. */
export interface FitReport {
  readonly policy: BreakpointPolicy | 'as-original';
  readonly steps: readonly FitStep[];
}
