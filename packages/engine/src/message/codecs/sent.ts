import type { Dialect, Message, Part } from '../message.ts';
import { native } from './wire.ts';

/**
 * Whether a part reaches the wire in this dialect. Reasoning, opaque parts and file ids belong to the provider that
 * made them; Chat Completions has no place for reasoning other than what a compatible server put there.
 *
 * @example
 * message.parts.filter((part) => isSent(part, 'gemini'));
 */
export function isSent(part: Part, dialect: Dialect): boolean {
  switch (part.type) {
    case 'thinking':
      return dialect === 'openai-chat'
        ? native(part, dialect)?.form !== undefined
        : native(part, dialect) !== undefined;
    case 'opaque':
      return part.dialect === dialect;
    case 'image':
      return part.source.kind !== 'file' || (dialect !== 'gemini' && dialect !== 'openai-chat');
    case 'document':
      if (dialect === 'openai-chat') return part.source.kind !== 'url' || native(part, dialect) !== undefined;
      return part.source.kind !== 'file' || dialect !== 'gemini';
    default:
      return true;
  }
}

/** Whether a message reaches the wire at all; one that is empty only here, for want of parts, is left out. */
export function isMessageSent(message: Message, dialect: Dialect): boolean {
  return native(message, dialect) !== undefined || message.parts.some((part) => isSent(part, dialect));
}
