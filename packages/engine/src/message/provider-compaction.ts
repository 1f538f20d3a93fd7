import { isObject } from '../json.ts';
import type { Dialect, Message, OpaquePart, Part } from './message.ts';

/**
 * Whether a part is a provider's own compaction: Anthropic's `compaction` block, OpenAI's sealed item. Its provider reads
 * it in place of everything before it; other providers must be sent the original messages, which are still in the log.
 *
 * @example
 * const isHidden = messages.some(({ parts }) => parts.some(isProviderCompaction));
 */
export function isProviderCompaction(part: Part): part is OpaquePart {
  return part.type === 'opaque' && part.kind === 'compaction';
}

/**
 * A message without its provider's own compactions. A summary of ours in front of one would not be read, so
 * code that inserts a summary removes them.
 *
 * @example
 * const kept = messages.map(withoutProviderCompaction);
 */
export function withoutProviderCompaction(message: Message): Message {
  if (!message.parts.some(isProviderCompaction)) return message;
  return { ...message, parts: message.parts.filter((part) => !isProviderCompaction(part)) };
}

/** Who is sent a message. Two providers may speak one dialect, and one cannot open what the other sealed. */
export interface CompactionReader {
  readonly dialect: Dialect;
  readonly provider?: string | undefined;
}

/**
 * Whether a compaction was made by this provider, as far as that is known, and has content: one that failed
 * does not (Anthropic: "the server treats these as no-ops").
 */
function isRead({ part, dialect, provider }: CompactionReader & { readonly part: Part }): boolean {
  if (!isProviderCompaction(part) || part.dialect !== dialect || !isObject(part.value)) return false;
  const isOwn = part.by === undefined || provider === undefined || part.by === provider;
  return isOwn && typeof (part.value.content ?? part.value.encrypted_content) === 'string';
}

/**
 * Whether a provider that receives this message ignores everything before it except the head.
 *
 * @example
 * const read = messages.slice(Math.max(0, messages.findLastIndex((message) => hidesBefore({ message, dialect }))));
 */
export function hidesBefore({ message, ...reader }: CompactionReader & { readonly message: Message }): boolean {
  return message.parts.some((part) => isRead({ part, ...reader }));
}

/**
 * Messages as their provider takes them: with the newest of its own compactions (Anthropic: "Send only the block the
 * conversation returned last"), and with none that failed or that another provider made.
 *
 * @example
 * const items = withNewestCompaction({ messages, dialect: 'anthropic', provider: 'anthropic' });
 */
export function withNewestCompaction({
  messages,
  ...reader
}: CompactionReader & { readonly messages: readonly Message[] }): readonly Message[] {
  const newest = messages.flatMap(({ parts }) => parts).findLast((part) => isRead({ part, ...reader }));
  return messages.flatMap((message) => {
    const parts = message.parts.filter((part) => !isProviderCompaction(part) || part === newest);
    if (parts.length === message.parts.length) return [message];
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}
