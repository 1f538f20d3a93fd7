import type { Message } from '../../message/index.ts';

/**
 * Messages without the thoughts of finished turns. Providers bind thoughts to all that came before them; after a cut they
 * would be refused, or left out and paid for. Those of the turn in progress stay: without them some refuse its calls.
 *
 * @example
 * const kept = withoutOldThoughts(messages);
 */
export function withoutOldThoughts(messages: readonly Message[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  // What is said beside the results of its calls does not end a turn: its provider reads both as one message.
  const isOpen = messages.slice(last + 1).some(({ parts }) => parts.some(({ type }) => type === 'tool_result'));
  const turn = isOpen ? messages.slice(0, Math.max(0, last)).findLastIndex(begins) : messages.length;
  return messages.map((message, index) => {
    if (index > turn || message.role !== 'assistant') return message;
    const parts = message.parts.filter(({ type }) => type !== 'thinking');
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
}

/** Somebody says something, and not beside results. */
function begins({ role, parts }: Message, index: number, messages: readonly Message[]): boolean {
  if (role !== 'user' || messages[index - 1]?.parts.some(({ type }) => type === 'tool_result')) return false;
  return parts.some(({ type, origin }) => type !== 'tool_result' && origin !== 'engine');
}
