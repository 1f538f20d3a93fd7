import type { SourceItem } from '../source.ts';
import type { Summary, SummaryInput } from './summariser.ts';

/** What a summary is made from, but for the items, which cross to the worker in pieces. */
export type Order = Omit<SummaryInput, 'items' | 'signal'>;

export type Request =
  | { readonly job: number; readonly items: readonly SourceItem[] }
  | { readonly job: number; readonly order: Order };

export type Reply =
  | { readonly job: number; readonly summary: Summary }
  | { readonly job: number; readonly failure: string };
