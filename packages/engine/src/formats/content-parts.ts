import { isArray, isObject, type Json } from '../json.ts';
import { type ContentPart, codecs, type Origin, type TextPart, type ThinkingPart } from '../message/index.ts';

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

/**
 * The `content` of a message in the shape of OpenAI's chat API, which most agents store for every provider: a string, or
 * a list of texts and images. All parts get the given origin. Provider options such as cache marks are dropped, because
 * the conversation may continue with another provider.
 *
 * @example
 * chatParts({ content: 'a.txt', origin: 'tool' }); // [{ type: 'text', origin: 'tool', text: 'a.txt' }]
 */
export function chatParts({
  content,
  origin,
}: {
  readonly content: Json | undefined;
  readonly origin: Origin;
}): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', origin, text: content }];
  if (!isArray(content) || content.length === 0) return [];
  const [message] = codecs['openai-chat'].decode([{ role: 'user', content }]);
  return (message?.parts ?? []).flatMap((part): ContentPart[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', origin, text: part.text }];
      case 'image':
        return [
          { type: 'image', origin, source: part.source, ...(part.detail !== undefined && { detail: part.detail }) },
        ];
      case 'document':
      case 'opaque':
        return [{ ...part, origin }];
      default:
        return [];
    }
  });
}

/** The words of a person, unless a client wrapped its own text in them. */
export function userText(text: string): TextPart {
  const [part] = codecs.anthropic.decode([{ role: 'user', content: text }])[0]?.parts ?? [];
  return { type: 'text', origin: part?.origin ?? 'human', text };
}
