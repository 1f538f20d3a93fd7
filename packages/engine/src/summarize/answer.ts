import type { SourceItem } from '../analysis/index.ts';
import { extractive, tailFor } from './extractive.ts';
import type { ExtractiveAnswer, ExtractiveQuestion } from './protocol.ts';
import type { ItemReader } from './reader.ts';

/** Answers a question about a session, in whatever thread. */
export function answerTo<Q extends ExtractiveQuestion>({
  items,
  question,
  count,
  read,
}: {
  readonly items: readonly SourceItem[];
  readonly question: Q;
  readonly count: (text: string) => number;
  readonly read: ItemReader;
}): ExtractiveAnswer<Q> {
  const asked: ExtractiveQuestion = question;
  return ('told' in asked ? summary(asked) : end(asked)) as ExtractiveAnswer<Q>;

  function summary({ order, told }: Extract<ExtractiveQuestion, { told: unknown }>) {
    const handles = new Set(told);
    const later = items.filter(({ handle }) => !handles.has(handle));
    return extractive({
      items: items.filter(({ handle }) => handles.has(handle)),
      order: { ...order, later },
      count,
      read,
    });
  }

  function end({ budget, ...look }: Extract<ExtractiveQuestion, { budget: number }>) {
    return tailFor({ items, budget, look, count, read });
  }
}
