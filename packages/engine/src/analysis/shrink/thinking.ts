import type { Message } from '../../message/index.ts';

/**
 * Removes the thinking of finished turns. Providers bind thinking to everything before it; after a cut it would be rejected,
 * or billed and ignored. The thinking of the current turn stays: some providers reject its calls without it.
 *
 * @example
 * const kept = withoutOldThoughts(messages);
 */
export function withoutOldThinking(messages: readonly Message[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  // Text next to the results of calls does not end a turn: providers read both as one message.
  const isOpen = messages.slice(last + 1).some(({ parts }) => parts.some(({ type }) => type === 'tool_result'));
  const turn = isOpen ? messages.slice(0, Math.max(0, last)).findLastIndex(beginsTurn) : messages.length;
  return messages.map((message, index) => {
    if (index > turn || message.role !== 'assistant') return message;
    const parts = message.parts.filter(({ type }) => type !== 'thinking');
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
}

/** Whether a message begins a turn: input that is not next to results. */
function beginsTurn({ role, parts }: Message, index: number, messages: readonly Message[]): boolean {
  if (role !== 'user' || messages[index - 1]?.parts.some(({ type }) => type === 'tool_result')) return false;
  return parts.some(({ type, origin }) => type !== 'tool_result' && origin !== 'engine');
}
