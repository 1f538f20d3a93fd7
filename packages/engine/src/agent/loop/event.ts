import type { Message } from '../../message/index.ts';
import type { CompactionSignal, ModelEnd, ModelFailure, Usage } from '../../models/index.ts';
import type { PlannedCall } from './call.ts';
import type { Saying } from './queued-message.ts';

/** What happens to a run: the input of `step`. */
export type Happening =
  | {
      readonly type: 'started';
      readonly say: readonly Saying[];
      /** Calls of before that have no result. */
      readonly open: readonly PlannedCall[];
      /** Whether what is in the log ends with something the model has to answer. */
      readonly isAsked: boolean;
    }
  | { readonly type: 'steered' | 'queued'; readonly saying: Saying }
  | { readonly type: 'withdrawn'; readonly keys: readonly string[] }
  | { readonly type: 'aborted' }
  | { readonly type: 'short' }
  | {
      readonly type: 'prepared';
      readonly tokens: number;
      readonly bound: number;
      readonly window: number;
      /** What the engine says so that the work goes on after a compaction. */
      readonly continuation?: Saying;
    }
  | {
      readonly type: 'answered';
      readonly end: ModelEnd;
      readonly usage: Usage | undefined;
      readonly costUsd: number | undefined;
      readonly window: number;
      /** Whether the provider takes a conversation that ends with the answer it paused. */
      readonly takesItsOwn: boolean;
      /** What the provider did to the context by itself. */
      readonly signals: readonly CompactionSignal[];
      /** From 0 to 1, for the length of a wait. */
      readonly jitter: number;
    }
  | { readonly type: 'looked'; readonly calls: readonly PlannedCall[] }
  | { readonly type: 'acted' | 'waited' }
  /** What hooks said where the run would end; words where they want it to go on. */
  | { readonly type: 'stopping'; readonly goOn?: Saying }
  /** An effect could not be performed. */
  | { readonly type: 'broke'; readonly failure: ModelFailure };

/** What is to be done because of it: the output of `step`, performed in order. */
export type Effect =
  | { readonly do: 'prepare'; readonly say: readonly Saying[] }
  | {
      readonly do: 'stream';
      readonly turn: number;
      /** How often this request was sent, this time included. */
      readonly attempt: number;
      readonly tokens: number;
      readonly bound: number;
      readonly window: number;
    }
  /** Puts an answer into the log. */
  | {
      readonly do: 'keep';
      readonly message: Message;
      readonly reason: ModelEnd['reason'];
      readonly requestId?: string | undefined;
    }
  /** Notes what came of an answer that is not sent again. */
  | { readonly do: 'note'; readonly message: Message; readonly reason: ModelEnd['reason']; readonly why: string }
  /** Notes what the provider did to the context by itself. */
  | { readonly do: 'signal'; readonly signal: CompactionSignal }
  | { readonly do: 'report'; readonly usage: Usage; readonly requestId?: string | undefined }
  | { readonly do: 'report'; readonly failure: ModelFailure }
  /** Finds out what calls would touch. */
  | { readonly do: 'look'; readonly message: Message }
  /** Runs a batch; each result goes into the log as soon as it is there. */
  | { readonly do: 'act'; readonly calls: readonly PlannedCall[] }
  /** Gives calls a result that says why they did not run. */
  | { readonly do: 'settle'; readonly calls: readonly PlannedCall[]; readonly why: 'aborted' | 'interrupted' }
  | { readonly do: 'wait'; readonly ms: number; readonly attempt: number; readonly failure: ModelFailure }
  | { readonly do: 'overflow'; readonly failure: ModelFailure }
  | { readonly do: 'compact' }
  | { readonly do: 'notice'; readonly text: string }
  /** Ends what is under way: the stream, the tools, the wait. */
  | { readonly do: 'cancel' }
  /** Asks the hooks whether the run may end. */
  | { readonly do: 'stop'; readonly text: string; readonly turns: number }
  | {
      readonly do: 'end';
      readonly reason: 'done' | 'aborted' | 'failed' | 'max_turns' | 'refused';
      readonly failure?: ModelFailure;
      readonly turns: number;
      readonly usage: Usage;
      readonly costUsd?: number;
      readonly text: string;
    };

/** What a happening leads to. */
export interface Step<State> {
  readonly state: State;
  readonly effects: readonly Effect[];
}
