import type { EngineSession, PrepareInput } from '../../engine/index.ts';
import type { Model, ModelOptions } from '../../models/index.ts';
import type { Clock } from '../../time.ts';
import type { AgentEvent } from '../event.ts';
import type { RunAgentHooks } from '../hooks/run-hooks.ts';
import type { Permissions } from '../permission.ts';
import type { FileHistory } from '../rollback/file-history.ts';
import type { Tool } from '../tool.ts';
import type { QueuedMessage } from './queued-message.ts';
import type { SideCosts } from './side-costs.ts';

/** Everything that effects need. */
export interface EffectContext {
  readonly session: EngineSession;
  /** The model of the next request; it may change between requests. */
  readonly model: () => Model;
  /** Of the next request; they may change between requests. */
  readonly tools: readonly Tool[];
  readonly permissions: Permissions;
  readonly fileHistory: FileHistory | undefined;
  readonly options: ModelOptions | undefined;
  readonly head: () => Promise<PrepareInput['head']>;
  readonly runHooks: RunAgentHooks;
  readonly clock: Clock;
  readonly random: () => number;
  readonly emit: (event: AgentEvent) => void;
  /** Aborted when the run is aborted. */
  readonly signal: AbortSignal;
  /** Returns unique keys. */
  readonly nextKey: () => string;
  /** Milliseconds a tool or stream has to end after an abort. */
  readonly grace: number;
  /** Ids of all calls so far; an answer must not reuse one. */
  readonly callIds: Set<string>;
  /** Instruction files that apply to these paths and are not in the conversation yet. */
  readonly instructionsFor: (paths: readonly string[]) => Promise<readonly string[]>;
  /** Runs between two requests, for model switches. */
  readonly beforePrepare: () => Promise<void>;
  /** Called when the message is in the log. */
  readonly onSent: (queued: QueuedMessage) => void;
  /** What summaries and sub-agents of this run have cost so far. */
  readonly sideCosts: () => SideCosts;
  /** Compacts because memory is low. */
  readonly compactForMemory: () => Promise<void>;
}
