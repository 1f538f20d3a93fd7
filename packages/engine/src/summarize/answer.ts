import type { SourceItem } from '../analysis/index.ts';
import { extractive, tailFor } from './extractive.ts';
import type { ItemReader } from './item-reader.ts';
import type { ExtractiveAnswer, ExtractiveQuestion } from './protocol.ts';

/** Answers a question about a session; runs in the worker or in the caller's thread. */
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
  return ('covered' in asked ? summary(asked) : tail(asked)) as ExtractiveAnswer<Q>;

  function summary({ input, covered }: Extract<ExtractiveQuestion, { covered: unknown }>) {
    const handles = new Set(covered);
    const later = items.filter(({ handle }) => !handles.has(handle));
    return extractive({
      items: items.filter(({ handle }) => handles.has(handle)),
      input: { ...input, later },
      count,
      read,
    });
  }

  function tail({ budget, ...options }: Extract<ExtractiveQuestion, { budget: number }>) {
    return tailFor({ items, budget, options, count, read });
  }
}
