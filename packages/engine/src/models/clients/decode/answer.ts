import type { Message, Part, Wire } from '../../../message/index.ts';
import { isSent } from '../../../message/internal.ts';

/**
 * An answer of these parts. Thoughts that led to nothing, because it broke off, stay readable and are not sent back:
 * providers refuse an answer that ends in one. An answer that says nothing at all belongs to no dialect, so that it is
 * left out instead of being sent empty.
 *
 * @example
 * const message = answerOf({ parts: [{ type: 'text', origin: 'model', text: 'Yes.' }], wire: { dialect: 'anthropic' } });
 */
export function answerOf({
  parts,
  wire,
}: {
  readonly parts: readonly Part[];
  readonly wire?: Wire | undefined;
}): Message {
  if (!wire) return { role: 'assistant', parts };
  const last = parts.findLastIndex((part) => part.type !== 'thinking' && isSent(part, wire.dialect));
  const kept = parts.map((part, at) => (at > last && part.type === 'thinking' ? unbound(part) : part));
  return { role: 'assistant', parts: kept, ...(last >= 0 && { wire }) };
}

/** Reasoning that its provider would not know again stays readable, and is not sent back. */
export function unbound(part: Part): Part {
  const { wire: _, ...rest } = part;
  return rest;
}
