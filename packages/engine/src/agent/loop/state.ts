import type { RetryPolicy, Usage } from '../../models/index.ts';
import { defaultRetryPolicy } from '../../models/internal.ts';
import type { PlannedCall } from './call.ts';
import type { QueuedMessage } from './queued-message.ts';

/** State of a run. A plain value: the same events lead to the same effects. */
export interface LoopState {
  /** Unique per run; prefix of the keys of its engine messages. */
  readonly id: string;
  readonly phase: 'preparing' | 'streaming' | 'running_calls' | 'waiting' | 'stopping' | 'over';
  /** Requests that were answered or failed permanently; retries do not count. */
  readonly turns: number;
  /** Attempts of the current request. */
  readonly attempt: number;
  /** Consecutive requests that were too long. */
  readonly overflows: number;
  /** The provider rejected earlier reasoning, and the request was sent again without it; until it is answered. */
  readonly hasDroppedThinking: boolean;
  /** Consecutive engine messages that continue an answer: after one that was cut off, empty or paused. */
  readonly nudges: number;
  /** How often a hook continued the run at its end. */
  readonly stops: number;
  /** Calls that still have to run, by batch. */
  readonly batches: readonly (readonly PlannedCall[])[];
  readonly steered: readonly QueuedMessage[];
  readonly queued: readonly QueuedMessage[];
  /** Messages of the start of the run that were not sent yet. */
  readonly opening: readonly QueuedMessage[];
  readonly isAborted: boolean;
  /** Memory is low: compact before the next request. */
  readonly hasMemoryPressure: boolean;
  /** Text of the newest answer. */
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
  readonly limits: LoopLimits;
}

/** Limits of a run. */
export interface LoopLimits {
  readonly maxTurns: number;
  /** Dollars that a run may cost, including sub-agents and summaries. */
  readonly maxCostUsd: number;
  readonly maxNudges: number;
  readonly maxStops: number;
  readonly retry: RetryPolicy;
}

export const defaultLimits: LoopLimits = {
  maxTurns: Number.POSITIVE_INFINITY,
  maxCostUsd: Number.POSITIVE_INFINITY,
  maxNudges: 3,
  maxStops: 3,
  retry: defaultRetryPolicy,
};

export function initialState({ id, limits }: { readonly id: string; readonly limits: LoopLimits }): LoopState {
  return {
    id,
    phase: 'preparing',
    turns: 0,
    attempt: 0,
    overflows: 0,
    hasDroppedThinking: false,
    nudges: 0,
    stops: 0,
    batches: [],
    steered: [],
    queued: [],
    opening: [],
    isAborted: false,
    hasMemoryPressure: false,
    text: '',
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: undefined,
    limits,
  };
}
