import type { Message } from '../../message/index.ts';

/**
 * Messages without the thoughts of finished turns. Providers bind thoughts to all that came before them; after a cut they
 * would be refused, or left out and paid for. Those of the turn in progress stay: without them some refuse its calls.
 *
 * @example
 * const kept = withoutOldThoughts(messages);
 */
export function withoutOldThoughts(messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  const isOpen =
    last !== undefined && last.role !== 'assistant' && last.parts.some(({ type }) => type === 'tool_result');
  const turn = isOpen ? messages.findLastIndex(speaks) : messages.length;
  return messages.map((message, index) => {
    if (index > turn || message.role !== 'assistant') return message;
    const parts = message.parts.filter(({ type }) => type !== 'thinking');
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
}

function speaks({ role, parts }: Message): boolean {
  return role === 'user' && parts.some(({ type, origin }) => type !== 'tool_result' && origin !== 'engine');
}
