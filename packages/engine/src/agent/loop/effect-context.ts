import type { EngineSession, PrepareInput } from '../../engine/index.ts';
import type { Model, ModelOptions } from '../../models/index.ts';
import type { AgentEvent } from '../event.ts';
import type { AskHooks } from '../hooks/run-hooks.ts';
import type { Permissions } from '../permission.ts';
import type { Tool } from '../tool.ts';
import type { Saying } from './queued-message.ts';

/** Time as the loop needs it. */
export interface LoopClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Everything that effects are performed with. */
export interface Desk {
  readonly session: EngineSession;
  /** The model of the next request: it may have been changed since the last. */
  readonly model: () => Model;
  readonly tools: readonly Tool[];
  readonly permissions: Permissions;
  readonly options: ModelOptions | undefined;
  readonly head: () => Promise<PrepareInput['head']>;
  readonly ask: AskHooks;
  readonly clock: LoopClock;
  readonly random: () => number;
  readonly tell: (event: AgentEvent) => void;
  /** Aborted when nobody waits for the run any more. */
  readonly signal: AbortSignal;
  /** Keys that were never given out before. */
  readonly nextKey: () => string;
  /** Milliseconds that a tool or a stream is given to end after it was told to. */
  readonly grace: number;
  /** The ids of the calls that were ever seen; an answer may not use one again. */
  readonly callIds: Set<string>;
  /** What has to happen between two requests: a change of model. */
  readonly beforePrepare: () => Promise<void>;
  /** It is in the log now. */
  readonly onSaid: (saying: Saying) => void;
  /** Compacts because memory runs short. */
  readonly relieve: () => Promise<void>;
}
