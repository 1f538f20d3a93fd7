import type { Usage } from '../../models/index.ts';
import type { PlannedCall } from './call.ts';
import type { Saying } from './queued-message.ts';

/** Where a run stands. All of it is a value: the same events lead to the same effects. */
export interface LoopState {
  /** Of this run, and of no other: keys of what it says by itself begin with it. */
  readonly id: string;
  readonly phase: 'preparing' | 'streaming' | 'acting' | 'waiting' | 'stopping' | 'over';
  /** Requests that were answered or failed for good; repetitions do not count. */
  readonly turns: number;
  /** How often the request in progress was sent. */
  readonly attempt: number;
  /** Requests in a row that were too long. */
  readonly overflows: number;
  /** What the engine said in a row to keep an answer going: after one that was cut off, or empty, or paused. */
  readonly nudges: number;
  /** How often a hook asked to go on where the run would have ended. */
  readonly stops: number;
  /** What has still to run, batch by batch. */
  readonly batches: readonly (readonly PlannedCall[])[];
  readonly steered: readonly Saying[];
  readonly queued: readonly Saying[];
  /** What nobody has said to the model yet, of what this run began with. */
  readonly opening: readonly Saying[];
  readonly isAborted: boolean;
  /** Memory runs short: compact before the next request. */
  readonly isShort: boolean;
  /** What the newest answer said. */
  readonly text: string;
  readonly usage: Usage;
  readonly costUsd: number | undefined;
  readonly limits: LoopLimits;
}

/** How far a run goes by itself. */
export interface LoopLimits {
  readonly maxTurns: number;
  readonly maxNudges: number;
  readonly maxStops: number;
  readonly retry: { readonly attempts: number; readonly baseMs: number; readonly maxMs: number };
}

export const usualLimits: LoopLimits = {
  maxTurns: Number.POSITIVE_INFINITY,
  maxNudges: 3,
  maxStops: 3,
  // pi's numbers: 2, 4, 8 s, never more than 60 s.
  retry: { attempts: 3, baseMs: 2_000, maxMs: 60_000 },
};

export function initialState({ id, limits }: { readonly id: string; readonly limits: LoopLimits }): LoopState {
  return {
    ...{ id, phase: 'preparing', turns: 0, attempt: 0, overflows: 0, nudges: 0, stops: 0, batches: [] },
    ...{ steered: [], queued: [], opening: [], isAborted: false, isShort: false, text: '' },
    ...{ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, costUsd: undefined, limits },
  };
}
