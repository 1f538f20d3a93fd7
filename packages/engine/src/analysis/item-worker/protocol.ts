import type { SourceItem } from '../source-item.ts';

/** Messages to the worker: changes of its items, or a question. */
export type ToWorker<Question> =
  | { readonly set: readonly SourceItem[]; readonly drop: readonly number[] }
  | { readonly id: number; readonly question: Question };
