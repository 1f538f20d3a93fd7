import type { Json } from '../../message/index.ts';
import type { EntryId, ModelName, SessionId } from '../../session/index.ts';
import type { CompactionResult, HookFailure } from '../types.ts';

type HookResult<T> = T | Promise<T>;

/** What every hook receives. Never more of the conversation than it needs. */
export interface HookEvent {
  readonly session: SessionId;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The trigger: `manual` for a request of the user; all others are automatic. */
  readonly trigger: string;
  /** The folder that the agent works in. */
  readonly cwd?: string;
  /** A file that the conversation can be read in, where one is written. */
  readonly transcript?: string;
  /** Aborted when the answer is no longer needed. */
  readonly signal?: AbortSignal;
  /** For a hook that asks others: where it tells which of them failed. */
  readonly onFailure?: (failure: HookFailure) => void;
}

/** A compaction is about to be planned. */
export interface BeforeCompaction extends HookEvent {
  readonly tokens: number;
  readonly window: number;
  readonly messages: number;
  readonly model?: ModelName;
  /** The focus that was requested for the summary. */
  readonly focus?: string;
}

export interface BeforeCompactionAnswer {
  /** Nothing is compacted, for this reason. What no longer fits is cut by the guard all the same. */
  readonly cancel?: string;
  /** A replacement for the summary. One that is empty or too large is reported as a failure and not used. */
  readonly replace?: { readonly text: string; readonly short?: string };
  /** Rules that every compaction carries on from now on. They count as the engine's words, never as the user's. */
  readonly pins?: readonly string[];
  /** In place of the focus that was asked for. */
  readonly focus?: string;
  /** Context for the summarizer in addition to the conversation. */
  readonly context?: readonly string[];
}

/** It is planned, and its summary is about to be made. */
export interface Compacting extends HookEvent {
  /** The handles of the first and the last entry that the summary will stand for. */
  readonly handles: { readonly from: number; readonly to: number } | null;
  /** The summary comes to at most so many tokens. */
  readonly budget: number;
  readonly focus?: string;
}

export interface CompactingAnswer {
  /** In place of the instructions for the summarizer. */
  readonly instructions?: string;
  /** Context for the summarizer in addition to the conversation. */
  readonly context?: readonly string[];
  /** Stored with the compaction entry, for the hook's own use. */
  readonly keep?: Json;
}

/** A compaction was installed. */
export interface AfterCompaction extends HookEvent {
  /** With the summary and the loss report, where there are any. */
  readonly result: CompactionResult;
  /** Its record in the log. */
  readonly entry: EntryId;
  /** What `compacting` asked to keep. */
  readonly kept?: Json;
}

/** The session is about to go elsewhere in its tree. */
export interface BeforeMove extends HookEvent {
  readonly from: EntryId | null;
  readonly to: EntryId | null;
  /** Where the two ways part. */
  readonly ancestor: EntryId | null;
  /** How many entries would be left behind. */
  readonly abandoned: number;
  /** Whether a summary of the branch that is left was requested. */
  readonly summarize: boolean;
  readonly focus?: string;
  readonly instructions?: string;
  readonly label?: string;
}

export interface BeforeMoveAnswer {
  readonly cancel?: string;
  /** The summary of the branch that is left; used only where one was requested (sessions.md 9.1). */
  readonly summary?: string;
}

export interface AfterMove extends HookEvent {
  readonly from: EntryId | null;
  readonly to: EntryId | null;
  /** The new leaf: the summary of the branch, where there is one. */
  readonly leaf: EntryId | null;
  readonly summary?: EntryId;
}

/**
 * Called when a session is compacted or moved. A hook that throws or times out is reported and skipped; only a cancel
 * stops the operation.
 *
 * @example
 * const hooks: Hooks = {
 *   beforeCompaction: ({ trigger }) => (trigger === 'manual' ? undefined : { pins: ['Tests run with `npm test`.'] }),
 * };
 */
export interface Hooks {
  /** How many milliseconds each of these may take before it is skipped; 10,000 by default. */
  readonly timeout?: number;
  readonly beforeCompaction?: (event: BeforeCompaction) => HookResult<BeforeCompactionAnswer | undefined>;
  readonly compacting?: (event: Compacting) => HookResult<CompactingAnswer | undefined>;
  readonly afterCompaction?: (event: AfterCompaction) => HookResult<unknown>;
  readonly beforeMove?: (event: BeforeMove) => HookResult<BeforeMoveAnswer | undefined>;
  readonly afterMove?: (event: AfterMove) => HookResult<unknown>;
}
