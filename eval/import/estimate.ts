import type { Message, Part } from 'longhaul/message';

/** The estimate of the list: a token for every four characters of what is said, called and returned. */
export function estimateTokens({ parts }: Message): number {
  const all = parts.flatMap((part): readonly Part[] => (part.type === 'tool_result' ? part.content : [part]));
  return all.reduce((sum, part) => sum + lengthOf(part), 0) / 4;
}

function lengthOf(part: Part): number {
  if (part.type === 'text' || part.type === 'thinking') return part.text.length;
  return part.type === 'tool_call' ? part.name.length + part.arguments.length : 0;
}
