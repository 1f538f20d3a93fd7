import type { Summary, SummaryInput } from './summarizer.ts';

/** What a summary is made from, but for the items, which cross to the worker in pieces, and what only a model reads. */
export type ExtractiveInput = Omit<SummaryInput, 'items' | 'signal' | OfModels>;

type OfModels = 'live' | 'conversation' | 'trigger' | 'mode' | 'instructions' | 'context' | 'onAttempt';

/**
 * What is asked about a session: a summary of those of its items that have these handles, beside the others; or what of a
 * budget its end is worth. The items cross to the worker in pieces, and stay there for the next question about them.
 */
export type ExtractiveQuestion =
  | { readonly order: Omit<ExtractiveInput, 'later'>; readonly told: readonly number[] }
  | ({ readonly budget: number } & Pick<ExtractiveInput, 'focus' | 'secrets' | 'salt'>);

/** A summary for an order; for a budget, how much of it the end is worth. */
export type ExtractiveAnswer<Q extends ExtractiveQuestion> = Q extends { readonly told: readonly number[] } ? Summary : number;
