import type { RecordedFile, SectionName, SourceItem } from '../analysis/index.ts';
import type { Json, Message, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel, Usage } from '../models/index.ts';

/** What a summary is made from. */
export interface SummaryInput {
  /** The items that the summary replaces: everything before the cut, verbatim, oldest first. */
  readonly items: readonly SourceItem[];
  /** The messages that stay verbatim after the summary; it need not repeat them. */
  readonly kept: readonly Message[];
  /** The same messages as items with handles: the frontier is shown as of now, not as of the cut. */
  readonly later?: readonly SourceItem[];
  /** The maximum number of tokens of the summary. */
  readonly budget: number;
  /** What the user or a hook asked the summary to focus on. */
  readonly focus?: string;
  readonly focusBy?: 'hook';
  /** Rules carried byte for byte. */
  readonly pins: readonly PinnedRule[];
  /** Files that earlier compactions recorded, oldest first. */
  readonly recorded?: readonly RecordedFile[];
  /** The agent's working state as given by the caller: plan, todos, skills. */
  readonly state?: Json;
  /** The agent's working directory. */
  readonly root?: string;
  /** Values to mask, in addition to what looks like a key. */
  readonly secrets?: readonly string[];
  /** Makes the placeholders of masked secrets differ between sessions. */
  readonly salt?: string;
  /** The request as it would be sent now. A summarizer that appends to it hits the provider's cache. */
  readonly live?: LiveRequest;
  /** The model of the conversation when there is no live request; decides which candidates apply. */
  readonly conversation?: TargetModel;
  /** The newest earlier summary, which a model updates. */
  readonly previous?: PreviousSummary;
  /** What triggered the summary: manual, background, threshold, overflow, budget, model-switch, memory. */
  readonly trigger?: string;
  /** The first strategy to try. */
  readonly mode?: SummaryMode;
  /** A hook's replacement for the instructions, and its additional context. */
  readonly instructions?: string;
  readonly context?: readonly string[];
  /** A model's narrative by section; the extractive summarizer adds facts and selected lines. */
  readonly narrative?: Narrative;
  /** The transcript file of the conversation, if one is written. */
  readonly transcript?: { readonly path: string; readonly lines: number };
  /** Called after every model call, also a failed one, so that its cost is recorded. */
  readonly onAttempt?: (attempt: Attempt) => void;
  readonly signal?: AbortSignal;
}

/** The first strategy to try; `auto` starts with the cheapest for the provider's cache, the others are fallbacks. */
export type SummaryMode = 'auto' | 'full' | 'simple';

/** A request, before it is encoded. */
export interface LiveRequest {
  readonly head: readonly Message[];
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly model: TargetModel;
  /** How many of `items`, from the first, the summary replaces. */
  readonly covers: number;
  /** Tool choice and thinking of the request: changing them would miss the provider's cache. */
  readonly options?: ModelOptions;
  /** Its token count, if known more precisely than by an estimate. */
  readonly tokens?: number;
}

export interface PreviousSummary {
  readonly narrative: Narrative;
  /** The last handle that it covers. */
  readonly to: number;
  /** Whether the conversation contains it, in the newest compaction. A summary that arrived too late is not contained. */
  readonly isSent?: boolean;
}

/** A model's prose about a conversation. */
export interface Narrative {
  readonly sections: Partial<Readonly<Record<SectionName, string>>>;
  /** One line for display. */
  readonly short?: string;
  /** A few words, for a list of checkpoints. */
  readonly title?: string;
}

export interface PinnedRule {
  readonly text: string;
  /** The handle of its source, such as `@12.1`. */
  readonly from?: string;
  /** Who set it, so that a hook's rule is not shown as the user's. */
  readonly by?: string;
  /** The instruction file or skill it is part of. */
  readonly document?: string;
}

export interface Summary {
  readonly text: string;
  /** One line for display. */
  readonly short: string;
  /** Data about the summary, such as the handles of its lines. */
  readonly details?: Json;
  /** The strategy that made it, if different from the summarizer's. */
  readonly strategy?: string;
  /** A few words, for a list of checkpoints. */
  readonly title?: string;
  /** The model's narrative in it, which the next summary updates. */
  readonly narrative?: Narrative;
  /** Every model call that it took, including failed ones. */
  readonly attempts?: readonly Attempt[];
  /** Data that a hook asked to store with the record. */
  readonly kept?: Json;
}

/** One model call for a summary. */
export interface Attempt {
  readonly strategy: string;
  /** The name of the model or endpoint. */
  readonly model?: string;
  /** `accepted`, `part` for one of several pieces, or why not: `empty`, `no-tag`, `cut-off`, `calls-tools`, `late` … */
  readonly outcome: string;
  /** One sentence for display, with keys masked. */
  readonly why?: string;
  readonly usage?: Usage;
  /** In dollars, if the prices are known. */
  readonly cost?: number;
  /** The provider's id of the request. */
  readonly requestId?: string;
  readonly ms: number;
}

/** Makes summaries with one strategy or several. */
export interface Summarizer {
  /** Its name in records; `extractive` is the one that needs no model. */
  readonly strategy: string;
  /** It needs no model and cannot fail, so it needs no fallback. */
  readonly needsNoModel?: true;
  /** Its own fallback that needs no model, if it has one, so that one worker serves both. */
  readonly last?: Summarizer;
  summarize(input: SummaryInput): Promise<Summary>;
  /** How many tokens at the end are worth keeping verbatim, out of the budget; undefined means the default. */
  tailFor?(
    input: { readonly items: readonly SourceItem[]; readonly budget: number } & Pick<
      SummaryInput,
      'focus' | 'secrets' | 'salt' | 'signal'
    >,
  ): Promise<number | undefined>;
}
