import { randomUUID } from 'node:crypto';
import type { Dialect } from '../../message/index.ts';
import { anthropicBody, anthropicHeaders } from './body/anthropic.ts';
import type { HeadersOf, WriteBody } from './body/body.ts';
import { geminiBody } from './body/gemini.ts';
import { chatBody } from './body/openai-chat.ts';
import { responsesBody } from './body/openai-responses.ts';
import { createAnthropicDecoder } from './decode/anthropic.ts';
import type { Decoder } from './decode/decoder.ts';
import { createGeminiDecoder } from './decode/gemini.ts';
import { createChatDecoder } from './decode/openai-chat.ts';
import { createResponsesDecoder } from './decode/openai-responses.ts';
import { carryAnthropic } from './transport/anthropic.ts';
import type { Carry, Connection } from './transport/dispatch.ts';
import { carryGemini } from './transport/gemini.ts';
import { carryOpenAI } from './transport/openai.ts';

/** One dialect on the wire. */
export interface Spoken {
  readonly writeBody: WriteBody;
  /** What must stand in the headers for the sake of the body. */
  readonly headersOf?: HeadersOf;
  readonly createDecoder: () => Decoder;
  carry(input: { readonly connection: Connection; readonly model: string }): Carry;
}

/** An id for a call that its server did not name. */
const newId = () => `call_${randomUUID().replaceAll('-', '')}`;

export const spoken: Readonly<Record<Dialect, Spoken>> = {
  anthropic: {
    writeBody: anthropicBody,
    headersOf: anthropicHeaders,
    createDecoder: createAnthropicDecoder,
    carry: ({ connection }) => carryAnthropic({ connection }),
  },
  'openai-chat': {
    writeBody: chatBody,
    createDecoder: () => createChatDecoder({ newId }),
    carry: ({ connection }) => carryOpenAI({ connection, path: '/chat/completions' }),
  },
  'openai-responses': {
    writeBody: responsesBody,
    createDecoder: createResponsesDecoder,
    carry: ({ connection }) => carryOpenAI({ connection, path: '/responses' }),
  },
  gemini: {
    writeBody: geminiBody,
    createDecoder: () => createGeminiDecoder({ newId }),
    carry: carryGemini,
  },
};
