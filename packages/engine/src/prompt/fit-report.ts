import type { BreakpointPolicy } from './rules.ts';

/** Something that was tried to make a prompt fit. */
export interface FitStep {
  /** Nodes went; a breakpoint was given up; or nothing more could go. */
  readonly action: 'pruned' | 'dropped-breakpoint' | 'blocked';
  /** Where: the classes of the elements, and roles for messages. */
  readonly at: string;
  /** How many nodes went. */
  readonly removed: number;
  /** Whether something went without a priority of its own or around it: nothing in the prompt says that it may go. */
  readonly isUnranked?: boolean;
  /** What the prompt counted afterwards. */
  readonly tokens: number;
}

/** What was done to make a prompt fit. */
export interface FitReport {
  readonly policy: BreakpointPolicy | 'as-original';
  readonly steps: readonly FitStep[];
}
