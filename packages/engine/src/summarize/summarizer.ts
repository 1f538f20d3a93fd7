import type { RecordedFile, SectionName, SourceItem } from '../analysis/index.ts';
import type { Json, Message, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel, Usage } from '../models/index.ts';

/** What a summary is made from. */
export interface SummaryInput {
  /** What the summary stands for: everything said before the cut, as it was said, oldest first. */
  readonly items: readonly SourceItem[];
  /** What stays verbatim after it; what stands there need not be said twice. */
  readonly kept: readonly Message[];
  /** The same as it was said, with its address: where the work stands is told as of now, not as of the cut. */
  readonly later?: readonly SourceItem[];
  /** The summary comes to at most so many tokens. */
  readonly budget: number;
  /** What the user asked to be kept in view, or a hook. */
  readonly focus?: string;
  readonly focusBy?: 'hook';
  /** Rules carried byte for byte. */
  readonly pins: readonly PinnedRule[];
  /** Files that earlier compactions recorded, oldest first. */
  readonly recorded?: readonly RecordedFile[];
  /** What the caller says the agent is working in: plan, todos, skills. */
  readonly state?: Json;
  /** The folder that the agent worked in. */
  readonly root?: string;
  /** Values that must not stand in a summary, beside what looks like a key. */
  readonly secrets?: readonly string[];
  /** Keeps the placeholders of masked secrets of two sessions apart. */
  readonly salt?: string;
  /** The request as it would go out now. A summarizer that appends to it meets the provider's cache. */
  readonly live?: LiveRequest;
  /** The model of the conversation, where there is no live request: some models are asked only for some of them. */
  readonly conversation?: TargetModel;
  /** The newest summary before this one: a model updates it, it does not start again. */
  readonly previous?: PreviousSummary;
  /** Why now: manual, background, threshold, overflow, budget, model-switch, memory. */
  readonly trigger?: string;
  /** With which way of asking a model to begin; `auto` takes the ladder from the top. */
  readonly mode?: SummaryMode;
  /** What a hook says in place of our instructions, and what it adds. */
  readonly instructions?: string;
  readonly context?: readonly string[];
  /** A model's words by section; the summarizer that needs no model writes its facts and chosen lines around them. */
  readonly narrative?: Narrative;
  /** A file that the whole conversation can be read in, where one is written. */
  readonly transcript?: { readonly path: string; readonly lines: number };
  /** Hears of every call of a model when it has ended: what was paid for is known also where nothing comes of it. */
  readonly onAttempt?: (attempt: Attempt) => void;
  readonly signal?: AbortSignal;
}

/** With which strategy it begins; those below it stand behind it. */
export type SummaryMode = 'auto' | 'full' | 'simple';

/** A request, before it is encoded. */
export interface LiveRequest {
  readonly head: readonly Message[];
  readonly items: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly model: TargetModel;
  /** How many of `items`, from the first, the summary stands for. */
  readonly covers: number;
  /** Tool choice and thinking as the request has them: another choice is another prefix to the provider's cache. */
  readonly options?: ModelOptions;
  /** Its tokens, where somebody knows better than an estimate. */
  readonly tokens?: number;
}

export interface PreviousSummary {
  readonly narrative: Narrative;
  /** Everything up to this handle is told in it. */
  readonly to: number;
  /** The conversation holds it: it stands in the newest compaction. One that came too late stands nowhere else. */
  readonly isSent?: boolean;
}

/** What a model wrote of a conversation. */
export interface Narrative {
  readonly sections: Partial<Readonly<Record<SectionName, string>>>;
  /** One line, for people. */
  readonly short?: string;
  /** A few words, for a list of checkpoints. */
  readonly title?: string;
}

export interface PinnedRule {
  readonly text: string;
  /** Where it was said, as `@12.1`. */
  readonly from?: string;
  /** Who set it; a hook's rule must not pass for the user's words. */
  readonly by?: string;
  /** The instruction file or skill it is part of. */
  readonly document?: string;
}

export interface Summary {
  readonly text: string;
  /** One line, for people. */
  readonly short: string;
  /** Beside the text: what it rests on. */
  readonly details?: Json;
  /** Which way it was made, where that is not the way that was asked for. */
  readonly strategy?: string;
  /** A few words, for a list of checkpoints. */
  readonly title?: string;
  /** A model's words in it, as they stand there: what the next summary updates. */
  readonly narrative?: Narrative;
  /** Every call of a model that it took, those in vain too. */
  readonly attempts?: readonly Attempt[];
  /** What a hook asked to keep with the record. */
  readonly kept?: Json;
}

/** One try to have a model summarize. */
export interface Attempt {
  readonly strategy: string;
  /** Its name, or that of the endpoint. */
  readonly model?: string;
  /** `accepted`, `part` for one of several pieces, or why not: `empty`, `no-tag`, `cut-off`, `calls-tools`, `late` … */
  readonly outcome: string;
  /** One sentence for people, without keys. */
  readonly why?: string;
  readonly usage?: Usage;
  /** In dollars, where the prices are known. */
  readonly cost?: number;
  /** The provider's id of the request. */
  readonly requestId?: string;
  readonly ms: number;
}

/** One way to make a summary. */
export interface Summarizer {
  /** Its name in records: `extractive` needs no model. */
  readonly strategy: string;
  /** It needs no model, and so it cannot fail: no other way has to stand behind it. */
  readonly needsNoModel?: true;
  /** The one that needs no model and stands behind it, where it has one of its own: one worker is enough for both. */
  readonly last?: Summarizer;
  summarize(input: SummaryInput): Promise<Summary>;
  /** How many tokens at the end are worth keeping as they are, of so many in all; what is usual where nobody says so. */
  tailFor?(
    input: { readonly items: readonly SourceItem[]; readonly budget: number } & Pick<
      SummaryInput,
      'focus' | 'secrets' | 'salt' | 'signal'
    >,
  ): Promise<number | undefined>;
}
