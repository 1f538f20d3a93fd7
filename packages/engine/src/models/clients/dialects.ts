import { randomUUID } from 'node:crypto';
import type { Dialect, JsonObject } from '../../message/index.ts';
import { anthropicBody, anthropicHeaders, createAnthropicDecoder } from './dialects/anthropic.ts';
import type { Decoder } from './dialects/decoder.ts';
import { createGeminiDecoder, geminiBody } from './dialects/gemini.ts';
import { chatBody, createChatDecoder } from './dialects/openai-chat.ts';
import { createResponsesDecoder, responsesBody } from './dialects/openai-responses.ts';
import type { BodyInput, HeadersOf, WriteBody } from './dialects/request-body.ts';
import {
  anthropicTransport,
  type Connection,
  geminiTransport,
  openaiTransport,
  type Transport,
} from './transport/transport.ts';

/** One dialect on the wire. */
export interface DialectClient {
  readonly writeBody: WriteBody;
  /** What must stand in the headers for the sake of the body. */
  readonly headersOf?: HeadersOf;
  readonly createDecoder: () => Decoder;
  transport(input: { readonly connection: Connection; readonly model: string }): Transport;
}

/** An id for a call that its server did not name. */
const newId = () => `call_${randomUUID().replaceAll('-', '')}`;

export const dialectClients: Readonly<Record<Dialect, DialectClient>> = {
  anthropic: {
    writeBody: anthropicBody,
    headersOf: anthropicHeaders,
    createDecoder: createAnthropicDecoder,
    transport: ({ connection }) => anthropicTransport({ connection }),
  },
  'openai-chat': {
    writeBody: chatBody,
    createDecoder: () => createChatDecoder({ newId }),
    transport: ({ connection }) => openaiTransport({ connection, path: '/chat/completions' }),
  },
  'openai-responses': {
    writeBody: responsesBody,
    createDecoder: createResponsesDecoder,
    transport: ({ connection }) => openaiTransport({ connection, path: '/responses' }),
  },
  gemini: {
    writeBody: geminiBody,
    createDecoder: () => createGeminiDecoder({ newId }),
    transport: geminiTransport,
  },
};

/**
 * The JSON that a client sends, without sending it: head, items, tools and options in a dialect's words.
 *
 * @example
 * const body = requestBody({ dialect: model.dialect, model: model.id.name, info: model.info, request });
 */
export function requestBody({ dialect, ...input }: BodyInput & { readonly dialect: Dialect }): JsonObject {
  return dialectClients[dialect].writeBody(input);
}
