import { isSpoken } from '../analysis/index.ts';
import { type Context, headLength } from '../session/index.ts';
import type { Situation } from './policy/situation.ts';

/** How many messages are sent, how many of them are answers, and how many finished tool rounds this turn has. */
export function countsOf(context: Context): Pick<Situation, 'messages' | 'rounds' | 'roundsInTurn'> {
  const messages = context.items.slice(headLength(context)).map(({ message }) => message);
  const spoken = messages.findLastIndex(isSpoken);
  const isDone = (index: number) => messages[index + 1]?.parts.some(({ type }) => type === 'tool_result') ?? false;
  return {
    messages: messages.length,
    rounds: messages.filter(({ role }) => role === 'assistant').length,
    roundsInTurn: messages.filter(({ role }, index) => index > spoken && role === 'assistant' && isDone(index)).length,
  };
}
