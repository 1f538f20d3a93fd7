import { native } from './codecs/wire.ts';
import type { Dialect, Message } from './message.ts';

/**
 * How many messages at the start of a list are head: system text before anybody speaks, which every dialect sends apart
 * or first. A system message that a client put into Anthropic's list is no head: there "use the top-level 'system'
 * parameter" is the answer.
 */
export function headLength(messages: readonly Message[], dialect: Dialect): number {
  const end = messages.findIndex(
    (message) =>
      message.role !== 'system' ||
      message.parts.some((part) => part.type !== 'text') ||
      (dialect === 'anthropic' && native(message, dialect) !== undefined),
  );
  return end < 0 ? messages.length : end;
}
