import type { SourceItem } from '../source-item.ts';

/** What goes to the worker: how the list of items there changes, or a question about it. */
export type ToWorker<Question> =
  | { readonly set: readonly SourceItem[]; readonly drop: readonly number[] }
  | { readonly id: number; readonly question: Question };
