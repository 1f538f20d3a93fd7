import type { Message } from './message.ts';

/** How many messages at the start of a list are head: system text before anybody speaks, which every dialect sends apart or first. */
export function headLength(messages: readonly Message[]): number {
  const end = messages.findIndex(
    (message) => message.role !== 'system' || message.parts.some((part) => part.type !== 'text'),
  );
  return end < 0 ? messages.length : end;
}
