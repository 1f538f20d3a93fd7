import type { Message } from '../../message/index.ts';
import type { PlanItem } from './plan.ts';

/**
 * How many tokens the last complete exchange has, with everything after it: the latest words of a person that were
 * answered, or, where that is more than `most`, the latest answer of the model with the results of its calls; 0 where even
 * that is more.
 *
 * @example
 * lastExchange({ items, headCount: 1, most: 8_000 }); // 2_300
 */
export function lastExchange({
  items,
  headCount,
  most,
}: {
  readonly items: readonly PlanItem[];
  /** Leading items that always stay. */
  readonly headCount: number;
  readonly most: number;
}): number {
  let tokens = 0;
  let round = 0;
  let isAnswered = false;
  for (const { message, tokens: size } of items.slice(headCount).toReversed()) {
    tokens += size;
    if (tokens > most) return round;
    if (message.role === 'assistant') {
      isAnswered = true;
      if (round === 0) round = tokens;
    } else if (isAnswered && isAsked(message)) return tokens;
  }
  return isAnswered ? tokens : round;
}

function isAsked({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ type, origin }) => type !== 'tool_result' && origin === 'human');
}
