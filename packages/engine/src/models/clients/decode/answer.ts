import type { Message, Part } from '../../../message/index.ts';

/**
 * An answer of these parts. One without any belongs to no dialect: sent back as an empty message of its own it would be
 * refused.
 */
export function answerOf({ message, parts }: { readonly message: Message; readonly parts: readonly Part[] }): Message {
  const { wire } = message;
  return { role: 'assistant', parts, ...(parts.length > 0 && wire && { wire }) };
}

/** Reasoning that its provider would not know again stays readable, and is not sent back. */
export function unbound(part: Part): Part {
  const { wire: _, ...rest } = part;
  return rest;
}
