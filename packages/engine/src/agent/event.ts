import type { EngineEvent } from '../engine/index.ts';
import type { Json, JsonObject, Message } from '../message/index.ts';
import type { CompactionSignal, EndReason, ModelFailure, Usage } from '../models/index.ts';
import type { EntryId, SessionId } from '../session/index.ts';
import type { PermissionRequest } from './permission.ts';

/** Source of an event: the agent itself, or a sub-agent with the call that started it. */
export interface EventSource {
  readonly session: SessionId;
  readonly parent?: { readonly session: SessionId; readonly callId: string };
}

/** Why a run ended. */
export type RunEnd = 'done' | 'aborted' | 'failed' | 'max_turns' | 'max_cost' | 'refused';

/**
 * Events of a run, in order. Names are stable: `longhaul -p --json` prints one event per line. A turn is one request
 * and the tools that its answer calls.
 */
export type AgentEvent =
  | {
      readonly type: 'run_start';
      readonly session: SessionId;
      readonly model: string;
      readonly cwd: string;
      readonly resumed: boolean;
    }
  | {
      readonly type: 'turn_start';
      readonly turn: number;
      readonly tokens: number;
      readonly bound: number;
      readonly window: number;
      /** Messages of the request, including the head. */
      readonly messageCount: number;
    }
  | { readonly type: 'text' | 'thinking'; readonly delta: string }
  | {
      readonly type: 'answer';
      readonly message: Message;
      readonly reason: EndReason;
      readonly entry: EntryId;
      /** The provider's request id. */
      readonly requestId?: string;
    }
  | {
      readonly type: 'usage';
      readonly usage: Usage;
      readonly costUsd?: number;
      readonly messageCount: number;
      readonly requestId?: string;
    }
  | { readonly type: 'permission'; readonly request: PermissionRequest }
  | {
      readonly type: 'tool_start';
      readonly callId: string;
      readonly tool: string;
      readonly input: JsonObject;
      readonly summary: string;
    }
  | { readonly type: 'tool_output'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool_end';
      readonly callId: string;
      readonly tool: string;
      readonly isError: boolean;
      readonly text: string;
      readonly ms: number;
      readonly details?: Json;
      readonly entry: EntryId;
    }
  | { readonly type: 'said'; readonly how: 'prompt' | 'steered' | 'queued' | 'continuation'; readonly text: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number; readonly failure: ModelFailure }
  | { readonly type: 'overflow'; readonly failure: ModelFailure }
  /** The provider compacted the context itself, or ignored parts of the request. The log is complete. */
  | ({ readonly type: 'provider_compaction' } & Pick<CompactionSignal, 'kind' | 'name' | 'tokens'>)
  | { readonly type: 'model'; readonly from: string; readonly to: string }
  | {
      readonly type: 'subagent_start' | 'subagent_end';
      readonly session: SessionId;
      readonly callId: string;
      readonly task: string;
      /** The custom agent, if the task named one. */
      readonly agent?: string;
      /** What it cost, with its own summaries; on `subagent_end`, if prices are known. */
      readonly costUsd?: number;
    }
  | { readonly type: 'engine'; readonly event: EngineEvent }
  | { readonly type: 'notice'; readonly text: string }
  | {
      readonly type: 'run_end';
      readonly reason: RunEnd;
      readonly turns: number;
      /** Of all requests of the run, including sub-agents and summaries. */
      readonly usage: Usage;
      readonly costUsd?: number;
      readonly text: string;
      readonly failure?: ModelFailure;
    };
