import type { SourceItem } from '../source.ts';
import type { Summary, SummaryInput } from './summariser.ts';

/** What a summary is made from, but for the items, which cross to the worker in pieces, and what only a model reads. */
export type Order = Omit<SummaryInput, 'items' | 'signal' | OfModels>;

type OfModels = 'live' | 'previous' | 'trigger' | 'instructions' | 'context';

/** What is asked of the worker about items. */
export type Question = { readonly order: Order } | { readonly budget: number };

/** A summary for an order; for a budget, how much of it the end is worth. */
export type Answer<Q extends Question> = Q extends { readonly order: Order } ? Summary : number;

export type Request = { readonly job: number } & ({ readonly items: readonly SourceItem[] } | Question);

export type Reply = { readonly job: number } & ({ readonly answer: Summary | number } | { readonly failure: string });
