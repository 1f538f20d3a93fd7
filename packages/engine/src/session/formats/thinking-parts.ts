import { isArray, isObject, type Json } from '../../json.ts';
import { codecs, type ThinkingPart } from '../../message/index.ts';

/**
 * The reasoning of an answer: blocks of Anthropic with their signatures, or, where there are none, the text that other
 * providers give. A signature that a filter for secrets has touched proves nothing any more; its block keeps the text.
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
  const parts = (message?.parts ?? []).flatMap((part) => (part.type === 'thinking' ? intact(part) : []));
  if (parts.length > 0 || typeof text !== 'string' || text === '') return parts;
  return [{ type: 'thinking', origin: 'model', text }];
}

function intact(part: ThinkingPart): ThinkingPart[] {
  const isTouched = [part.signature, part.encrypted].some((seal) => seal?.includes('REDACTED'));
  if (!isTouched) return [part];
  return part.text === '' ? [] : [{ type: 'thinking', origin: 'model', text: part.text }];
}
