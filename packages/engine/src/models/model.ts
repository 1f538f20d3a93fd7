import type { Dialect, Json, JsonObject, Message, ToolCallPart, ToolDefinition } from '../message/index.ts';
import type { ModelInfo } from './catalog/info.ts';
import type { ModelFailure } from './failure/failure.ts';
import type { Usage } from './usage.ts';

/** What is asked of a model, in no provider's words. */
export interface ModelRequest {
  /** System and instructions. */
  readonly head: readonly Message[];
  /** The conversation after the head. */
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly options: ModelOptions;
  readonly signal?: AbortSignal | undefined;
}

export interface ModelOptions {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly toolChoice?: ToolChoice;
  readonly thinking?: Thinking;
  readonly stop?: readonly string[];
  /** `report.rebindsThinking` of `prepare`: thoughts follow a changed beginning, and may be dropped by the provider. */
  readonly rebindsThinking?: boolean;
  /** Why the call is made. Calls that are not the user's own turn are tagged with it in headers, events and spans. */
  readonly purpose?: Purpose;
  readonly metadata?: JsonObject;
  /**
   * Where requests that share a beginning should meet, for providers that spread them over machines (OpenAI's
   * `prompt_cache_key`): the session's id.
   */
  readonly cacheKey?: string;
  readonly providerCompaction?: ProviderCompaction;
}

/**
 * Asks the provider to compact by itself where it can, which only it can read or replay. Off unless given; Longhaul's own
 * compaction goes on all the same and covers what the provider left.
 */
export interface ProviderCompaction {
  /** From how many prompt tokens on; the provider's default where absent. */
  readonly triggerTokens?: number;
  /** Replaces the provider's own prompt where it takes one (Anthropic). */
  readonly instructions?: string;
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

/** `effort` where the model decides how long it thinks (see `Capabilities.thinking`), `budgetTokens` where the caller does. */
export type Thinking = 'off' | { readonly effort: string } | { readonly budgetTokens: number };

/** `conversation-compaction` is Copilot CLI's name for a summary call; gateways and logs look for it. Others are free. */
export type Purpose = 'conversation' | 'conversation-compaction' | (string & {});

/**
 * A model that answers. The contract:
 *
 * - `stream` never throws, and the stream never rejects: failures are values.
 * - The stream ends with exactly one `end` event; nothing follows it.
 * - `end.message` is the whole answer in neutral form, as far as it came, also when the call failed or was aborted.
 * - An aborted signal ends the stream with reason `aborted`, which is no failure.
 * - `usage` may come more than once; each replaces the one before.
 *
 * @example
 * const silent: Model = {
 *   id: { provider: 'test', name: 'silent' },
 *   dialect: 'openai-chat',
 *   info: modelInfo({ name: 'silent' }),
 *   async *stream() {
 *     yield { type: 'end', reason: 'stop', message: { role: 'assistant', parts: [] } };
 *   },
 * };
 */
export interface Model {
  readonly id: { readonly provider: string; readonly name: string };
  readonly dialect: Dialect;
  readonly info: ModelInfo;
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  | { readonly type: 'tool_call_start'; readonly id: string; readonly name: string }
  | { readonly type: 'tool_call_delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'tool_call'; readonly call: ToolCallPart }
  | { readonly type: 'usage'; readonly usage: Usage }
  /** The provider did something to the context by itself; a compaction is a part of the message as well. */
  | { readonly type: 'provider_compaction'; readonly signal: CompactionSignal }
  | ModelEnd;

/** What a provider or a remote agent did to the context by itself. */
export interface CompactionSignal {
  /** `compaction`: earlier content was replaced by a summary. `edits`: parts of the request were cleared. */
  readonly kind: 'compaction' | 'edits';
  /** Its own name for it. */
  readonly name: string;
  /** How many tokens it says were there before, or were cleared. */
  readonly tokens?: number;
  /** As it was said. */
  readonly value: Json;
}

/**
 * How an answer ended. `refused`: the model or a filter declined. `paused`: the provider stopped a long turn and expects
 * the same conversation again. `failed` always carries a failure, `refused` may.
 */
export type EndReason = 'stop' | 'length' | 'tool_calls' | 'refused' | 'paused' | 'aborted' | 'failed';

export type ModelEnd =
  | (EndBase & { readonly reason: Exclude<EndReason, 'refused' | 'failed'>; readonly failure?: never })
  | (EndBase & { readonly reason: 'refused'; readonly failure?: ModelFailure })
  | (EndBase & { readonly reason: 'failed'; readonly failure: ModelFailure });

interface EndBase {
  readonly type: 'end';
  readonly message: Message;
  /** The provider's id of the request, for its support and logs. */
  readonly requestId?: string;
}

/** The model that a request goes to: what counting and encoding need to know of it. */
export type TargetModel = Pick<Model, 'id' | 'dialect' | 'info'>;
