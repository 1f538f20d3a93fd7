import type { Budget } from '../plan/budget.ts';

/** What is known before a request, for the decision. All of it is a value: the same situation is decided the same. */
export interface Situation {
  readonly budget: Budget;
  /** The likely size of the request, tools included, and one that is hardly ever exceeded. */
  readonly tokens: number;
  readonly bound: number;
  /** What a provider said of the newest request of this conversation; it counts where it is larger. */
  readonly reported?: number;
  /** Messages and answers of the model in what is sent, without the head. */
  readonly messages: number;
  readonly rounds: number;
  /** Finished tool rounds in the turn in progress. */
  readonly roundsInTurn: number;
  /** Whether the provider may still have the beginning of the request. */
  readonly isCached: boolean;
  /** What lies between the last request and this one: somebody spoke, a task was finished, or neither. */
  readonly boundary: 'turn' | 'task' | 'round';
  readonly job: JobView;
  /** Summaries need no model: they are made in no time, when they are needed, and not beside the work. */
  readonly isSure: boolean;
  /** A compaction was undone, and nothing has been decided since. */
  readonly isHeld: boolean;
  /** A compaction was not worth it, and there is hardly more to gain since. */
  readonly isDeclined: boolean;
  /** The provider refused the last request as too long. */
  readonly isRefused: boolean;
  /** The request goes to another model than the last one. */
  readonly isSwitched: boolean;
  /** A model was waited for in this turn, in vain. */
  readonly hasWaitedInVain: boolean;
  /** What putting in the summary that is ready costs once, and saves with every request, in tokens of input. */
  readonly price?: { readonly once: number; readonly perRequest: number };
  readonly now: number;
}

/** What the decision knows of the job beside the work. */
export interface JobView {
  readonly state: 'idle' | 'running' | 'ready' | 'failed';
  /** After a failure it is not begun again before this time. */
  readonly notBefore?: number;
  /** One that came too late is still being made, and its words may be of use: no other is begun beside it. */
  readonly isLate?: boolean;
}

/** Why a compaction is made. */
export type Trigger = 'manual' | 'background' | 'threshold' | 'budget' | 'overflow' | 'model-switch' | 'memory';
