import type { SourceItem } from '../source-item.ts';

/** What goes to the worker: how the list of items there changes, or a question about it. */
export type ToWorker<Question> =
  | { readonly set: readonly SourceItem[]; readonly drop: readonly number[] }
  | { readonly job: number; readonly question: Question };

export type FromWorker<Answer> = { readonly job: number } & (
  | { readonly answer: Answer }
  | { readonly failure: string }
);
