import type { Message, OpaquePart, Part } from './message.ts';

/**
 * Whether a part is a provider's own compaction: Anthropic's `compaction` block, OpenAI's sealed item. Its provider reads
 * it in place of everything before it; everybody else must be sent what it stands for, which is still in the log.
 *
 * @example
 * const isHidden = messages.some(({ parts }) => parts.some(isProviderCompaction));
 */
export function isProviderCompaction(part: Part): part is OpaquePart {
  return part.type === 'opaque' && part.kind === 'compaction';
}

/**
 * A message without its provider's own compactions. A summary of ours that stands before one would not be read, so
 * whoever puts a summary in front takes them out.
 *
 * @example
 * const kept = messages.map(withoutProviderCompaction);
 */
export function withoutProviderCompaction(message: Message): Message {
  if (!message.parts.some(isProviderCompaction)) return message;
  return { ...message, parts: message.parts.filter((part) => !isProviderCompaction(part)) };
}
