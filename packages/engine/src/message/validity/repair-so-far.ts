import type { Dialect, Message, Part } from '../message.ts';
import type { Repair } from './problem.ts';
import { repair } from './repair.ts';

/** Something that a person would say next. */
const next: Part = { type: 'text', origin: 'human', text: 'next' };

/**
 * As `repair`, for a conversation that will go on: one that ends with an answer is fine, since the next request will add
 * to it. By itself such an end counts as an answer that the model is to continue, which most providers refuse.
 *
 * @example
 * const { messages, repairs } = repairSoFar(session.context.items.map(({ message }) => message), 'anthropic');
 */
export function repairSoFar(
  messages: readonly Message[],
  provider: Dialect,
): { readonly messages: readonly Message[]; readonly repairs: readonly Repair[] } {
  if (messages.at(-1)?.role !== 'assistant') return repair(messages, provider);
  const { messages: repaired, repairs } = repair([...messages, { role: 'user', parts: [next] }], provider);
  const kept = repaired.flatMap((message) => {
    const parts = message.parts.filter((part) => part !== next);
    return parts.length === message.parts.length ? [message] : parts.length > 0 ? [{ ...message, parts }] : [];
  });
  return { messages: kept, repairs };
}
