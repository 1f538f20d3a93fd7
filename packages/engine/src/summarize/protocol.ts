import type { Summary, SummaryInput } from './summarizer.ts';

/** `SummaryInput` without the items, which are sent to the worker separately, and without members only models need. */
export type ExtractiveInput = Omit<SummaryInput, 'items' | 'signal' | OfModels>;

type OfModels = 'live' | 'conversation' | 'trigger' | 'mode' | 'instructions' | 'context' | 'onAttempt';

/**
 * A question about a session: a summary of the items with the `covered` handles, or how many tokens of a budget its tail
 * is worth. The items are sent to the worker in chunks and stay there for the next question.
 */
export type ExtractiveQuestion =
  | { readonly input: Omit<ExtractiveInput, 'later'>; readonly covered: readonly number[] }
  | ({ readonly budget: number } & Pick<ExtractiveInput, 'focus' | 'secrets' | 'salt'>);

/** A summary, or the tokens that the tail is worth. */
export type ExtractiveAnswer<Q extends ExtractiveQuestion> = Q extends { readonly covered: readonly number[] }
  ? Summary
  : number;
