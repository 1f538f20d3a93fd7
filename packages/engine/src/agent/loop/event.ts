import type { Message } from '../../message/index.ts';
import type { CompactionSignal, ModelEnd, ModelFailure, Usage } from '../../models/index.ts';
import type { RunEnd } from '../event.ts';
import type { PlannedCall } from './call.ts';
import type { QueuedMessage } from './queued-message.ts';

/** Input of `step`. */
export type LoopEvent =
  | {
      readonly type: 'started';
      readonly messages: readonly QueuedMessage[];
      /** Earlier calls without a result. */
      readonly open: readonly PlannedCall[];
      /** Whether the log ends with something the model has to answer. */
      readonly needsAnswer: boolean;
    }
  | { readonly type: 'steered' | 'queued'; readonly queued: QueuedMessage }
  | { readonly type: 'withdrawn'; readonly keys: readonly string[] }
  | { readonly type: 'aborted' }
  | { readonly type: 'memory_pressure' }
  | {
      readonly type: 'prepared';
      readonly tokens: number;
      readonly bound: number;
      readonly window: number;
      /** What the run would have cost after this request, estimated. */
      readonly projectedUsd?: number;
      /** Message of the engine that continues the work after a compaction. */
      readonly continuation?: QueuedMessage;
    }
  | {
      readonly type: 'answered';
      readonly end: ModelEnd;
      readonly usage: Usage | undefined;
      readonly costUsd: number | undefined;
      readonly window: number;
      /** Whether the provider accepts a conversation that ends with the answer it paused. */
      readonly takesItsOwn: boolean;
      /** Context changes made by the provider. */
      readonly signals: readonly CompactionSignal[];
      /** Retry jitter from 0 to 1. */
      readonly jitter: number;
    }
  | { readonly type: 'calls_planned'; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'calls_done' | 'waited' }
  /** Whether earlier reasoning was removed after the provider rejected it. */
  | { readonly type: 'thinking_dropped'; readonly isChanged: boolean; readonly failure: ModelFailure }
  /** Result of the `stop` hooks; `continueWith` continues the run. */
  | { readonly type: 'stopping'; readonly continueWith?: QueuedMessage }
  /** An effect failed. */
  | { readonly type: 'failed'; readonly failure: ModelFailure };

/** Output of `step`: effects to perform in order. */
export type Effect =
  | { readonly do: 'prepare'; readonly messages: readonly QueuedMessage[] }
  | {
      readonly do: 'stream';
      readonly turn: number;
      /** Number of attempts of this request, including this one. */
      readonly attempt: number;
      readonly tokens: number;
      readonly bound: number;
      readonly window: number;
    }
  /** Appends an answer to the log. */
  | {
      readonly do: 'append_answer';
      readonly message: Message;
      readonly reason: ModelEnd['reason'];
      readonly requestId?: string | undefined;
    }
  /** Notes an answer that is not sent again. */
  | {
      readonly do: 'append_partial';
      readonly message: Message;
      readonly reason: ModelEnd['reason'];
      readonly why: string;
    }
  /** Notes a context change made by the provider. */
  | { readonly do: 'signal'; readonly signal: CompactionSignal }
  | {
      readonly do: 'report';
      readonly usage: Usage;
      readonly costUsd?: number | undefined;
      readonly requestId?: string | undefined;
    }
  | { readonly do: 'report'; readonly failure: ModelFailure }
  /** Determines what the calls would access. */
  | { readonly do: 'plan_calls'; readonly message: Message }
  /** Runs a batch; each result is logged as soon as possible. */
  | { readonly do: 'run_calls'; readonly calls: readonly PlannedCall[] }
  /** Records a result for calls that did not run. */
  | { readonly do: 'close_calls'; readonly calls: readonly PlannedCall[]; readonly why: 'aborted' | 'interrupted' }
  | { readonly do: 'wait'; readonly ms: number; readonly attempt: number; readonly failure: ModelFailure }
  | { readonly do: 'overflow'; readonly failure: ModelFailure }
  /** Opens an epoch without the reasoning of earlier answers. */
  | { readonly do: 'drop_thinking'; readonly failure: ModelFailure }
  | { readonly do: 'compact' }
  | { readonly do: 'notice'; readonly text: string }
  /** Cancels the current stream, tools or wait. */
  | { readonly do: 'cancel' }
  /** Runs the `stop` hooks. */
  | { readonly do: 'stop'; readonly text: string; readonly turns: number }
  | {
      readonly do: 'end';
      readonly reason: RunEnd;
      readonly failure?: ModelFailure;
      readonly turns: number;
      readonly usage: Usage;
      readonly costUsd?: number;
      readonly text: string;
    };

/** Result of `step`. */
export interface LoopStep<State> {
  readonly state: State;
  readonly effects: readonly Effect[];
}
