import type { JsonObject, ToolDefinition } from '../message/index.ts';
import type { ModelOptions, TargetModel } from '../models/index.ts';
import type { EntryId } from '../session/index.ts';
import type { LiveRequest, Narrative, PreviousSummary, SummaryInput, SummaryMode } from '../summarize/index.ts';
import type { Budget } from './plan/budget.ts';
import type { Trigger } from './policy/situation.ts';
import type { Scale } from './scale.ts';

/** What somebody asks for who compacts by hand. */
export interface CompactInput {
  readonly model: TargetModel;
  readonly tools?: readonly ToolDefinition[];
  /** Tool choice and thinking of the conversation. */
  readonly options?: ModelOptions;
  /** What is to be kept in view. */
  readonly focus?: string;
  /** The first and the last entry to be replaced, by id; by default everything but what is recent. */
  readonly from?: EntryId;
  readonly to?: EntryId;
  readonly dryRun?: boolean;
  /** How a model is asked, where one is; by default as the policy says. */
  readonly mode?: SummaryMode;
  /** Why; by default because somebody asked. */
  readonly trigger?: 'manual' | 'memory' | 'model-switch';
  /** The model whose window it has to fit afterwards, where that is another one than is asked for words. */
  readonly target?: TargetModel;
  readonly signal?: AbortSignal;
}

/** A compaction that is to be made. */
export interface Order {
  readonly scale: Scale;
  readonly tools: readonly ToolDefinition[];
  readonly budget: Budget;
  readonly trigger: Trigger;
  /** The request does not fit: whatever frees something is worth it. */
  readonly isForced: boolean;
  /** Whether a model may be asked for it. */
  readonly asks: boolean;
  readonly mode?: SummaryMode;
  /** The request as it would go out now, for whoever appends to it. */
  readonly live?: Omit<LiveRequest, 'covers'>;
  readonly previous?: PreviousSummary;
  /** A model's words for it that are there already. */
  readonly narrative?: Narrative;
  /** A file that the conversation can be read in, for the summary to name. */
  readonly transcript?: SummaryInput['transcript'];
  readonly dryRun?: boolean;
  /** The number of the job that prepared it. */
  readonly job?: number;
  /** Hears of every call of a model. */
  readonly onAttempt?: SummaryInput['onAttempt'];
  readonly state?: JsonObject;
  readonly focus?: string;
  readonly from?: EntryId;
  readonly to?: EntryId;
  readonly signal?: AbortSignal;
}
