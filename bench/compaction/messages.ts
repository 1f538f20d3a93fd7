import type { Message } from 'longhaul/message';
import { generateSession } from 'longhaul/testing';

/** A generated session of so many messages. */
export function sessionOf({ size }: { readonly size: number }): Message[] {
  const messages: Message[] = [];
  for (let seed = 1; messages.length < size; seed += 1) messages.push(...generateSession({ seed, turns: 40 }));
  return messages.slice(0, size);
}
