import type { Json, JsonObject, Message, Repair, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel } from '../models/index.ts';
import type { PromptPiece } from '../prompt/index.ts';
import type { ContextItem, EntryId } from '../session/index.ts';
import type {
  Attempt,
  LiveRequest,
  Narrative,
  PreviousSummary,
  SummaryInput,
  SummaryMode,
} from '../summarize/index.ts';
import type { Snapshot } from '../tokens/index.ts';
import type { SessionLedger } from './session-ledger.ts';

/** A requested compaction. */
export interface CompactInput {
  readonly model: TargetModel;
  readonly tools?: readonly ToolDefinition[];
  /** Tool choice and thinking of the conversation. */
  readonly options?: ModelOptions;
  /** What the summary should focus on. */
  readonly focus?: string;
  /** The first and the last entry to be replaced, by id; by default everything but what is recent. */
  readonly from?: EntryId;
  readonly to?: EntryId;
  readonly dryRun?: boolean;
  /**
   * Called with what would be installed, as a dry run returns it; nothing is installed unless it resolves to `true`. So a
   * summary is shown and installed without being made twice. Other calls of the session wait for the answer.
   */
  readonly confirm?: (result: CompactionResult) => Promise<boolean>;
  /** How a model is asked, where one is; by default as the policy says. */
  readonly mode?: SummaryMode;
  /** The trigger; `manual` by default. */
  readonly trigger?: 'manual' | 'memory' | 'model-switch';
  /** The model whose window it has to fit afterwards, where that is another one than is asked for words. */
  readonly target?: TargetModel;
  readonly signal?: AbortSignal;
}

/** A compaction to plan and install. */
export interface CompactionRequest {
  readonly ledger: SessionLedger;
  readonly tools: readonly ToolDefinition[];
  readonly budget: Budget;
  readonly trigger: Trigger;
  /** The request does not fit: any reduction is worthwhile. */
  readonly isForced: boolean;
  /** Whether a model may be asked for it. */
  readonly usesModel: boolean;
  readonly mode?: SummaryMode;
  /** The request as it would be sent now, for summarizers that append to it. */
  readonly live?: Omit<LiveRequest, 'covers'>;
  readonly previous?: PreviousSummary;
  /** A model's words for it that are there already. */
  readonly narrative?: Narrative;
  /** A file that the conversation can be read in, for the summary to name. */
  readonly transcript?: SummaryInput['transcript'];
  readonly dryRun?: boolean;
  readonly confirm?: CompactInput['confirm'];
  /** The number of the job that prepared it. */
  readonly job?: number;
  /** Called for every model call. */
  readonly onAttempt?: SummaryInput['onAttempt'];
  readonly state?: JsonObject;
  readonly focus?: string;
  readonly from?: EntryId;
  readonly to?: EntryId;
  readonly signal?: AbortSignal;
}

/** The input of the next request. */
export interface PrepareInput {
  readonly model: TargetModel;
  /**
   * System messages, or a prompt that becomes them; those of before stay where they are left out. A prompt is rendered once
   * and stays as it was sent until its elements, their props or the window change.
   */
  readonly head?: PromptInput;
  /**
   * What is said now: messages, or a prompt that becomes them within what is left. With a `key` it is said once, however
   * often it is prepared.
   */
  readonly turn?: { readonly messages: PromptInput; readonly key?: string };
  readonly tools?: readonly ToolDefinition[];
  /** Tool choice and thinking, as they will be sent: a background summary begins with the same bytes. */
  readonly options?: ModelOptions;
  /** Ends waiting for a summary, where the policy waits. */
  readonly signal?: AbortSignal;
}

/** The size of a request to a model. */
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

/** How full the window of a session is. */
export interface SessionSize {
  readonly snapshot: Snapshot;
  readonly budget: Budget;
  /** The tools that are counted in, and what they come to by our own count. */
  readonly tools: readonly ToolDefinition[];
  readonly toolTokens: number;
  /** Our own count of a message, before it is scaled to the provider's. */
  readonly countMessage: (message: Message) => number;
}

/** The next request. The engine treats it as sent. */
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
   * Thinking of the turn in progress follows a changed prefix. Providers that bind thinking to its prefix must be asked to
   * drop such blocks (Anthropic: `thinking.block_binding.prefix_mismatch_behavior: "drop_block"`).
   */
  readonly rebindsThinking: boolean;
  /** How many messages had to be looked at to know the size: only those that are new. */
  readonly touched: number;
}

/** The outcome of a compaction, or of a dry run. */
export interface CompactionResult {
  readonly installed: boolean;
  /** Whether it frees enough: what a dry run asks. */
  readonly worthwhile: boolean;
  /** One sentence: what was done, or why nothing was. */
  readonly reason: string;
  /** Why it was made. */
  readonly trigger?: Trigger;
  /** The strategy that made the summary. */
  readonly strategy?: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** The handles of the last that was replaced and of the first that stays. */
  readonly cut?: { readonly replacedTo: number | null; readonly keptFrom: number | null };
  readonly summary?: string;
  /** The same in one line, and in a few words. */
  readonly short?: string;
  readonly title?: string;
  /** Every model call that it made, failed ones included. */
  readonly attempts?: readonly Attempt[];
  /** Its record in the log. */
  readonly entry?: EntryId;
  readonly loss?: LossReport;
  /** What a hook asked to keep with the record. */
  readonly kept?: Json;
  /** A hook or the caller cancelled it. */
  readonly cancelled?: true;
}

/** What is no longer sent, and where it is. `lost` and `kept` add up to what was sent before. */
export interface LossReport {
  readonly before: Inventory;
  readonly kept: Inventory;
  readonly lost: Inventory;
  /** The first and last handle of what was replaced. */
  readonly handles: { readonly from: number; readonly to: number } | null;
  /** Messages that stay in a shortened form. */
  readonly reduced: number;
  /** The rules in force, and which of them are still sent, byte for byte. Secrets in them are masked. */
  readonly pins: readonly { readonly text: string; readonly survived: boolean }[];
}

/** The state of the background job, as decisions see it. */
export interface JobView {
  readonly state: 'idle' | 'running' | 'ready' | 'failed';
  /** After a failure it is not begun again before this time. */
  readonly notBefore?: number;
  /** A late summary is still running and its narrative may be used: no other is started. */
  readonly isLate?: boolean;
}

/** Why a compaction is made. */
export type Trigger = 'manual' | 'background' | 'threshold' | 'budget' | 'overflow' | 'model-switch' | 'memory';

/** How much may be sent, and how much shall be left after a compaction. All in tokens, tools included. */
export interface Budget {
  /** What the model takes, or less where its user or a provider's error said so. */
  readonly window: number;
  /** The window, or what the user wants to be used of it. */
  readonly base: number;
  /** Kept free for the answer. */
  readonly reserve: number;
  /** No request is larger by its upper bound. */
  readonly limit: number;
  /** No request is larger by its likely size, which leaves the reserve free without counting it twice. */
  readonly likely: number;
  /** From here on it is time for a compaction. */
  readonly threshold: number;
  /** What a compaction is planned by: with tools, a tenth of what they leave stays free. */
  readonly planned: number;
  /** What a compaction usually leaves, the head included. */
  readonly target: number;
  /** What a compaction has to free to be worth it. */
  readonly minimum: number;
}

/** An item of what is sent, with its address and size. */
export interface HeldItem {
  readonly item: ContextItem;
  readonly handle: number | undefined;
  readonly tokens: number;
}

/** An item of what is sent, with its size. */
export interface PlanItem {
  readonly message: Message;
  readonly tokens: number;
}

/** The kinds that a loss report tells apart. */
export const lossKinds = ['human', 'engine', 'model', 'thinking', 'calls', 'results', 'media'] as const;

export type LossKind = (typeof lossKinds)[number];

export interface Amount {
  /** How many parts. */
  readonly parts: number;
  readonly chars: number;
}

/** What a list of messages holds, by kind. Inventories add up. */
export type Inventory = Readonly<Record<LossKind, Amount>>;

/** The hooks of an engine, by the name of their event. */
export type HookName = 'beforeCompaction' | 'compacting' | 'afterCompaction' | 'beforeMove' | 'afterMove';

/** The failure of a hook. The operation continues. */
export interface HookFailure {
  readonly hook: HookName;
  /** `threw`, `late`, `exit` (of a command), or `answer`: its answer is invalid. */
  readonly kind: 'threw' | 'late' | 'exit' | 'answer';
  /** One sentence, for people. */
  readonly why: string;
  readonly ms: number;
  /** The command, of a shell hook. */
  readonly command?: string;
}

/** What a compaction would do to a list of items: `[start, cut)` is replaced by a summary, the rest stays. */
export interface CompactionPlan {
  readonly start: number;
  /** The first item that stays verbatim after the summary. */
  readonly cut: number;
  /** The turn that the cut goes through began here; absent where the cut is between turns. */
  readonly turnStart?: number;
  /** Whether the thoughts of what stays belong to a chain that is cut. */
  readonly breaksThinking: boolean;
  readonly tokens: { readonly replaced: number; readonly kept: number };
  /** One sentence for people. */
  readonly why: string;
}

/** Messages, or a prompt that becomes them within what is left of the budget. */
export type PromptInput = readonly Message[] | PromptPiece;
