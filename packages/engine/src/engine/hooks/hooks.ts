import type { Json } from '../../message/index.ts';
import type { EntryId, ModelName, SessionId } from '../../session/index.ts';
import type { CompactionResult, HookFailure } from '../types.ts';

type HookResult<T> = T | Promise<T>;

/** What every hook is told. Never more of the conversation than it needs. */
export interface HookEvent {
  readonly session: SessionId;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Why now: `manual` because somebody asked; all others are the engine's own. */
  readonly trigger: string;
  /** The folder that the agent works in. */
  readonly cwd?: string;
  /** A file that the conversation can be read in, where one is written. */
  readonly transcript?: string;
  /** Aborted when nobody waits for the answer any more. */
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
  /** What whoever asked wants to be kept in view. */
  readonly focus?: string;
}

export interface BeforeCompactionAnswer {
  /** Nothing is compacted, for this reason. What no longer fits is cut by the guard all the same. */
  readonly cancel?: string;
  /** A summary in place of ours. One that is empty or too large is told as a failure, and ours is made. */
  readonly replace?: { readonly text: string; readonly short?: string };
  /** Rules that every compaction carries on from now on. They count as the engine's words, never as the user's. */
  readonly pins?: readonly string[];
  /** In place of the focus that was asked for. */
  readonly focus?: string;
  /** What the summarizer is told beside the conversation. */
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
  /** What the summarizer is told beside the conversation. */
  readonly context?: readonly string[];
  /** Kept in the record of the compaction, for whoever made it. */
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
  /** Whether somebody wants to have told what is left behind. */
  readonly summarize: boolean;
  readonly focus?: string;
  readonly instructions?: string;
  readonly label?: string;
}

export interface BeforeMoveAnswer {
  readonly cancel?: string;
  /** What is told of what is left behind; taken only where a summary was asked for (sessions.md 9.1). */
  readonly summary?: string;
}

export interface AfterMove extends HookEvent {
  readonly from: EntryId | null;
  readonly to: EntryId | null;
  /** Where the session stands now: the summary of the branch, where there is one. */
  readonly leaf: EntryId | null;
  readonly summary?: EntryId;
}

/**
 * What others may say when a session is compacted or moved. One that throws or takes too long is told and skipped; none
 * can stop the work but by a cancel.
 *
 * @example
 * const hooks: Hooks = {
 *   beforeCompaction: ({ trigger }) => (trigger === 'manual' ? undefined : { pins: ['Tests run with `npm test`.'] }),
 * };
 */
export interface Hooks {
  /** How many milliseconds each of these may take before it is skipped; 10,000 by default. */
  readonly patience?: number;
  readonly beforeCompaction?: (event: BeforeCompaction) => HookResult<BeforeCompactionAnswer | undefined>;
  readonly compacting?: (event: Compacting) => HookResult<CompactingAnswer | undefined>;
  readonly afterCompaction?: (event: AfterCompaction) => HookResult<unknown>;
  readonly beforeMove?: (event: BeforeMove) => HookResult<BeforeMoveAnswer | undefined>;
  readonly afterMove?: (event: AfterMove) => HookResult<unknown>;
}
