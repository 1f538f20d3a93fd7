import type { Message, Repair, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel } from '../models/index.ts';
import type { EntryId } from '../session/index.ts';
import type { Snapshot } from '../tokens/index.ts';
import type { Budget } from './plan/budget.ts';
import type { Said } from './prompts.ts';
import type { CompactionResult } from './result.ts';

/** What the next request is made of. */
export interface PrepareInput {
  readonly model: TargetModel;
  /**
   * System messages, or a prompt that becomes them; those of before stay where they are left out. A prompt is rendered once
   * and stays as it was sent until its elements, their props or the window change.
   */
  readonly head?: Said;
  /**
   * What is said now: messages, or a prompt that becomes them within what is left. With a `key` it is said once, however
   * often it is prepared.
   */
  readonly turn?: { readonly messages: Said; readonly key?: string };
  readonly tools?: readonly ToolDefinition[];
  /** Tool choice and thinking, as they will be sent: a summary that is asked for beside it begins with the same bytes. */
  readonly options?: ModelOptions;
  /** Ends waiting for a summary, where the policy waits. */
  readonly signal?: AbortSignal;
}

/** What a request to a model would come to. */
export interface Preflight {
  readonly tokens: number;
  readonly bound: number;
  readonly budget: Budget;
  /** Whether nothing would have to be made smaller. */
  readonly fits: boolean;
}

/** Whose window is asked about. */
export interface SizeInput extends Pick<PrepareInput, 'model' | 'tools'> {
  /** These messages, head included, in the place of what the session would send. */
  readonly messages?: readonly Message[];
}

/** How full the window is where a session stands. */
export interface SessionSize {
  readonly snapshot: Snapshot;
  readonly budget: Budget;
  /** The tools that are counted in, and what they come to by our own count. */
  readonly tools: readonly ToolDefinition[];
  readonly toolTokens: number;
  /** Our own count of a message, before it is scaled to the provider's. */
  readonly weigh: (message: Message) => number;
}

/** What is to be sent. It counts as sent. */
export interface Prepared {
  readonly head: readonly Message[];
  /** The conversation after the head, legal for the model's provider. */
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** The likely size, and one that is hardly ever exceeded. */
  readonly tokens: number;
  readonly bound: number;
  readonly epoch: EntryId | null;
  readonly report: PrepareReport;
}

export interface PrepareReport {
  readonly snapshot: Snapshot;
  readonly budget: Budget;
  /** The epochs that this call opened, in order. */
  readonly opened: readonly { readonly reason: string; readonly epoch: EntryId }[];
  readonly compaction?: CompactionResult;
  /**
   * What to say as the next turn so that the work goes on after a compaction, where nothing waits to be answered and the
   * policy says so.
   */
  readonly continuation?: Message;
  readonly repairs: readonly Repair[];
  /**
   * Thoughts of the turn in progress follow a changed beginning. Providers that bind thoughts to what came before them
   * must be told to drop such blocks (Anthropic: `thinking.block_binding.prefix_mismatch_behavior: "drop_block"`).
   */
  readonly rebindsThinking: boolean;
  /** How many messages had to be looked at to know the size: only those that are new. */
  readonly touched: number;
}
