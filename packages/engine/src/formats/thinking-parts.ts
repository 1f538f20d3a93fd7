import { isArray, isObject, type Json } from '../json.ts';
import { codecs, type ThinkingPart } from '../message/index.ts';

/**
 * The reasoning of an answer: blocks of Anthropic with their signatures, or, where there are none, the text that other
 * providers give.
 *
 * @example
 * thinkingParts({ blocks: [{ type: 'thinking', thinking: 'I look.', signature: 'c2ln' }] });
 */
export function thinkingParts({
  blocks,
  text,
}: {
  readonly blocks: Json | undefined;
  readonly text?: Json | undefined;
}): ThinkingPart[] {
  const kept = (isArray(blocks) ? blocks : []).filter((block) => isObject(block));
  const [message] = codecs.anthropic.decode([{ role: 'assistant', content: kept }]);
  const parts = (message?.parts ?? []).filter((part) => part.type === 'thinking');
  if (parts.length > 0 || typeof text !== 'string' || text === '') return parts;
  return [{ type: 'thinking', origin: 'model', text }];
}
