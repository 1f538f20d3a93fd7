import { createParser } from 'eventsource-parser';
import { codecs, type Dialect, type Json, type JsonObject } from 'longhaul/message';
import { readUsage, type Usage } from 'longhaul/models';
import { createAnswerDecoder } from 'longhaul/models/clients';
import { isRecord, listOf, parseJson } from './json.ts';

/** What a provider answered. */
export interface Answer {
  /** As the client will send it back, if it changes nothing. */
  readonly items: readonly Json[];
  readonly usage?: Usage;
  /** The id of a response of the Responses API, or of a message of the Messages API. */
  readonly responseId?: string;
}

/** Follows the bytes of a response while they are relayed. */
export interface AnswerReader {
  read(chunk: Uint8Array): void;
  /** The answer, where it is whole; not where it broke off, failed, or is longer than the limit. */
  finish(): Answer | undefined;
}

/**
 * Reads the answer out of a response, streamed or not.
 *
 * @example
 * const reader = createAnswerReader({ dialect: 'anthropic', contentType: 'text/event-stream', limit: 1_000_000 });
 */
export function createAnswerReader({
  dialect,
  contentType,
  limit,
}: {
  readonly dialect: Dialect;
  readonly contentType: string;
  /** Bytes. */
  readonly limit: number;
}): AnswerReader {
  const isEventStream = contentType.startsWith('text/event-stream');
  const read = isEventStream ? createStreamReader({ dialect }) : createBodyReader({ dialect });
  let size = 0;
  return {
    read(chunk) {
      size += chunk.length;
      if (size <= limit) read.read(chunk);
    },
    finish: () => (size <= limit ? read.finish() : undefined),
  };
}

function createStreamReader({ dialect }: { readonly dialect: Dialect }): AnswerReader {
  const text = new TextDecoder();
  const events = createEventReader({ dialect });
  const parser = createParser({ onEvent: ({ data }) => events.data(data) });
  return {
    read: (chunk) => parser.feed(text.decode(chunk, { stream: true })),
    finish: () => events.finish(),
  };
}

function createEventReader({ dialect }: { readonly dialect: Dialect }) {
  const decoder = createAnswerDecoder({ dialect });
  let usage: Usage | undefined;
  let responseId: string | undefined;
  let isBroken = false;
  // Whole items of the Responses API, also reasoning that only the server can read: a client sends back its id.
  const whole = new Map<number, JsonObject>();
  const event = (value: JsonObject) => {
    for (const each of decoder.read(value)) if (each.type === 'usage') usage = each.usage;
    const { type, response, item, message, output_index: index } = value;
    const begun = type === 'message_start' ? message : response;
    if (isRecord(begun) && typeof begun.id === 'string') responseId = begun.id;
    if (type === 'response.output_item.done' && typeof index === 'number' && isRecord(item)) whole.set(index, item);
  };
  return {
    event,
    data(text: string) {
      if (text === '[DONE]') return decoder.close?.();
      const value = parseJson(text);
      if (isRecord(value)) event(value);
      else isBroken = true;
    },
    finish(): Answer | undefined {
      const ending = decoder.ending();
      if (isBroken || !ending || ending.reason === 'failed') return undefined;
      const done = [...whole].toSorted(([a], [b]) => a - b).map(([, item]) => item);
      const items = done.length > 0 ? done : codecs[dialect].encode([decoder.message()]);
      return { items, ...(usage && { usage }), ...(responseId !== undefined && { responseId }) };
    },
  };
}

function createBodyReader({ dialect }: { readonly dialect: Dialect }): AnswerReader {
  const chunks: Uint8Array[] = [];
  return {
    read: (chunk) => void chunks.push(chunk),
    finish() {
      const value = parseJson(Buffer.concat(chunks).toString('utf8'));
      // Gemini streams a list of chunks where no event stream is asked for.
      if (Array.isArray(value)) {
        const events = createEventReader({ dialect });
        for (const each of listOf(value)) if (isRecord(each)) events.event(each);
        return events.finish();
      }
      return isRecord(value) ? readBodyAnswer({ dialect, body: value }) : undefined;
    },
  };
}

/** An answer that was not streamed. */
function readBodyAnswer({
  dialect,
  body,
}: {
  readonly dialect: Dialect;
  readonly body: JsonObject;
}): Answer | undefined {
  const items = answerItems({ dialect, body });
  if (items.length === 0 || body.status === 'failed') return undefined;
  const value = dialect === 'gemini' ? body.usageMetadata : body.usage;
  const usage = readUsage({ dialect, value });
  const isResponse = (dialect === 'openai-responses' || dialect === 'anthropic') && typeof body.id === 'string';
  return { items, ...(usage && { usage }), ...(isResponse && { responseId: String(body.id) }) };
}

function answerItems({ dialect, body }: { readonly dialect: Dialect; readonly body: JsonObject }): readonly Json[] {
  switch (dialect) {
    case 'anthropic':
      return Array.isArray(body.content) ? [{ role: 'assistant', content: body.content as readonly Json[] }] : [];
    case 'openai-chat': {
      const [choice] = listOf(body.choices);
      return isRecord(choice) && isRecord(choice.message) ? [choice.message] : [];
    }
    case 'openai-responses':
      return listOf(body.output);
    case 'gemini': {
      const [candidate] = listOf(body.candidates);
      return isRecord(candidate) && isRecord(candidate.content) ? [candidate.content] : [];
    }
  }
}
