import { isObject } from '../json.ts';
import type { Dialect, Message, OpaquePart, Part } from './message.ts';

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

/**
 * Whether a provider that is sent this message in its dialect passes over all that stands before it, but the head. A
 * compaction that failed stands for nothing (Anthropic: "the server treats these as no-ops").
 *
 * @example
 * const read = messages.slice(Math.max(0, messages.findLastIndex((message) => hidesBefore({ message, dialect }))));
 */
export function hidesBefore({ message, dialect }: { readonly message: Message; readonly dialect: Dialect }): boolean {
  return message.parts.some(
    (part) =>
      isProviderCompaction(part) &&
      part.dialect === dialect &&
      isObject(part.value) &&
      typeof (part.value.content ?? part.value.encrypted_content) === 'string',
  );
}
