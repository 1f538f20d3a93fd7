import type { Message } from '../message/index.ts';
import { isPrompt } from '../message/internal.ts';

/**
 * Whether the kept messages may begin at a position: `clean`, `mid-chain` within a chain of thinking and calls (the
 * thinking must then be removed), `none` if a call would be separated from its result.
 */
export type Cut = 'clean' | 'mid-chain' | 'none';

/**
 * The cut quality of each position of a list; the last is after the end. Never at a tool result, inside a parallel batch,
 * or between two messages of one answer.
 *
 * @example
 * cutsOf(messages)[12]; // whether everything from the 13th message on may stay verbatim
 */
export function cutsOf(messages: readonly Message[]): Cut[] {
  const lastResults = new Map<string, number>();
  messages.forEach((message, index) => {
    for (const part of message.parts) if (part.type === 'tool_result') lastResults.set(part.callId, index);
  });
  const cuts: Cut[] = [];
  /** The index of the last result of the calls so far. */
  let answeredAt = -1;
  let isThinking = false;
  for (let index = 0; index <= messages.length; index += 1) {
    const message = messages[index];
    const before = messages[index - 1];
    cuts.push(cutAt());
    if (!message) break;
    for (const part of message.parts) {
      if (part.type === 'tool_call') answeredAt = Math.max(answeredAt, lastResults.get(part.id) ?? -1);
    }
    if (message.role === 'assistant') isThinking ||= message.parts.some(({ type }) => type === 'thinking');
    else if (isPrompt(message)) isThinking = false;

    function cutAt(): Cut {
      if (index <= answeredAt) return 'none';
      if (message?.parts.some(({ type }) => type === 'tool_result')) return 'none';
      if (message?.role === 'assistant' && before?.role === 'assistant') return 'none';
      const isChain = isThinking && message?.role === 'assistant' && !(before && isPrompt(before));
      return isChain ? 'mid-chain' : 'clean';
    }
  }
  return cuts;
}
