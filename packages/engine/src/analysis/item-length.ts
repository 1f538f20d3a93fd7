import type { Message, Part } from '../message/index.ts';

/** Approximate characters of a part, computed cheaply. */
function lengthOf(part: Part): number {
  if (part.type === 'text' || part.type === 'thinking') return part.text.length;
  if (part.type === 'tool_call') return part.arguments.length;
  if (part.type === 'tool_result') return part.content.reduce((sum, inner) => sum + lengthOf(inner), 0);
  return 1_000;
}

/** Approximate characters of a message. */
export function charsOf({ parts }: Pick<Message, 'parts'>): number {
  return parts.reduce((sum, part) => sum + lengthOf(part), 0);
}
