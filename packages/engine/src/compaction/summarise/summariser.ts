import type { Json, Message } from '../../message/index.ts';
import type { SourceItem } from '../source.ts';

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
  /** What the user asked to be kept in view. */
  readonly focus?: string;
  /** Rules carried byte for byte. */
  readonly pins: readonly PinnedRule[];
  /** What the caller says the agent is working in: plan, todos, skills. */
  readonly state?: Json;
  /** The folder that the agent worked in. */
  readonly root?: string;
  /** Values that must not stand in a summary, beside what looks like a key. */
  readonly secrets?: readonly string[];
  /** Keeps the placeholders of masked secrets of two sessions apart. */
  readonly salt?: string;
  readonly signal?: AbortSignal;
}

export interface PinnedRule {
  readonly text: string;
  /** Where it was said, as `@12.1`. */
  readonly from?: string;
}

export interface Summary {
  readonly text: string;
  /** One line, for people. */
  readonly short: string;
  /** Beside the text: what it rests on. */
  readonly details?: Json;
  /** Which way it was made, where that is not the way that was asked for. */
  readonly rung?: string;
}

/** One way to make a summary. */
export interface Summariser {
  /** Its name in records: `extractive` needs no model. */
  readonly rung: string;
  /** It needs no model, and so it cannot fail: no other way has to stand behind it. */
  readonly isSure?: true;
  summarise(input: SummaryInput): Promise<Summary>;
  /** How many tokens at the end are worth keeping as they are, of so many in all; what is usual where nobody says so. */
  tailFor?(
    input: { readonly items: readonly SourceItem[]; readonly budget: number } & Pick<
      SummaryInput,
      'focus' | 'secrets' | 'salt' | 'signal'
    >,
  ): Promise<number | undefined>;
}
