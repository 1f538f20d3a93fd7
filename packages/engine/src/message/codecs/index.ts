import type { Dialect } from '../message.ts';
import { anthropic } from './anthropic/index.ts';
import type { Codec } from './codec.ts';
import { gemini } from './gemini/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiResponses } from './openai-responses/index.ts';

/**
 * The codec of each dialect.
 *
 * @example
 * const messages = codecs.anthropic.decode([{ role: 'user', content: 'Why is the build red?' }]);
 * const items = codecs['openai-responses'].encode(messages);
 */
export const codecs: { readonly [D in Dialect]: Codec } = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
};
