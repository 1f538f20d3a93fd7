import type { SourceItem } from '../analysis/index.ts';
import { extractive, tailFor } from './extractive.ts';
import type { Answer, Question } from './protocol.ts';
import type { Reader } from './reader.ts';

/** Answers a question about a session, in whatever thread. */
export function answerTo<Q extends Question>({
  items,
  question,
  count,
  read,
}: {
  readonly items: readonly SourceItem[];
  readonly question: Q;
  readonly count: (text: string) => number;
  readonly read: Reader;
}): Answer<Q> {
  const asked: Question = question;
  return ('told' in asked ? summary(asked) : end(asked)) as Answer<Q>;

  function summary({ order, told }: Extract<Question, { told: unknown }>) {
    const handles = new Set(told);
    const later = items.filter(({ handle }) => !handles.has(handle));
    return extractive({
      items: items.filter(({ handle }) => handles.has(handle)),
      order: { ...order, later },
      count,
      read,
    });
  }

  function end({ budget, ...look }: Extract<Question, { budget: number }>) {
    return tailFor({ items, budget, look, count, read });
  }
}
