import type { SourceItem } from '../source.ts';
import { extractive, tailFor } from './extractive.ts';
import type { Answer, Question } from './protocol.ts';

/** Answers a question about items, in whatever thread. */
export function answerTo<Q extends Question>({
  items,
  question,
  count,
}: {
  readonly items: readonly SourceItem[];
  readonly question: Q;
  readonly count: (text: string) => number;
}): Answer<Q> {
  const asked: Question = question;
  const answer =
    'order' in asked
      ? extractive({ items, order: asked.order, count })
      : tailFor({ items, budget: asked.budget, count });
  return answer as Answer<Q>;
}
