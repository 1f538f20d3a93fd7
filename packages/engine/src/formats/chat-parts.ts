import { isArray, type Json } from '../json.ts';
import { type ContentPart, codecs, type Origin } from '../message/index.ts';

/**
 * What stands in the `content` of a message in the shape of OpenAI's chat, which most agents store whatever model they
 * speak to: a text, or a list of texts and images. All of it is of one origin; what it said to a provider beyond that
 * (cache marks) is not kept, since the provider is not the one that will be spoken to.
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
