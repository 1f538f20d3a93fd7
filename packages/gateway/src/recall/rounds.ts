import type { ServerResponse } from 'node:http';
import { createParser } from 'eventsource-parser';
import { codecs, type Dialect, type Json, type JsonObject, type Message, type ToolCallPart } from 'longhaul/message';
import { type Answer, createAnswerReader } from '../answer-reader.ts';
import { readSpans } from '../body-spans.ts';
import { errorBody, errorEvent, type GatewayFailure } from '../errors.ts';
import { headerIn, responseHeaders } from '../http/headers.ts';
import { isRecord, parseJson } from '../json.ts';
import type { UpstreamResponse } from '../upstream.ts';
import { createAnthropicFilter, mergeAnthropicBodies } from './anthropic-filter.ts';
import { createChatFilter, mergeChatBodies } from './chat-filter.ts';
import { eventText, type RoundFilter, recallName, type StreamEvent } from './filter.ts';
import { createGeminiFilter, mergeGeminiBodies } from './gemini-filter.ts';
import { insertLast } from './offer.ts';
import { createResponsesFilter, mergeResponsesBodies } from './responses-filter.ts';

/** One request to the provider and its answer. */
interface Round {
  readonly answer: Answer;
  /** The results of its recalls, if it had any. */
  readonly results?: Message;
}

/** What several rounds amounted to. */
export interface RoundsOutcome {
  readonly rounds: readonly Round[];
  /** The answer as the client saw it. */
  readonly shown: Answer;
}

/** More rounds than a model needs; then it gets no further result. */
const mostRounds = 8;

const filters: Readonly<Record<Dialect, () => RoundFilter>> = {
  anthropic: createAnthropicFilter,
  'openai-chat': createChatFilter,
  'openai-responses': createResponsesFilter,
  gemini: createGeminiFilter,
};

const merges: Readonly<Record<Dialect, (bodies: readonly JsonObject[]) => JsonObject>> = {
  anthropic: mergeAnthropicBodies,
  'openai-chat': mergeChatBodies,
  'openai-responses': mergeResponsesBodies,
  gemini: mergeGeminiBodies,
};

/** What relaying with recalls needs. */
interface RoundsInput {
  readonly dialect: Dialect;
  readonly first: UpstreamResponse;
  readonly outgoing: ServerResponse;
  /** The body that `first` answers. */
  readonly body: Buffer;
  /** Sends another body with the same headers. */
  readonly send: (body: Buffer) => Promise<UpstreamResponse>;
  /** Answers one recall. */
  readonly recall: (call: { readonly arguments: string }) => Promise<string>;
  /** Records the outcome; called before the client gets the end of the answer. */
  readonly commit: (outcome: RoundsOutcome) => Promise<void>;
  /** Bytes of an answer that are kept. */
  readonly limit: number;
}

/**
 * Relays an answer in which the model may call the recall tool. Such calls are answered here by further requests; the
 * client gets one answer, as a stream if it asked for one. A recall next to calls of the client's own tools is answered
 * together with their results, in the client's next request.
 */
export async function relayRounds(input: RoundsInput): Promise<void> {
  const type = headerIn(input.first.headers, 'content-type') ?? '';
  if (input.first.status !== 200 || headerIn(input.first.headers, 'content-encoding') !== undefined)
    throw new Error('Only answers that can be read are relayed in rounds.');
  return type.startsWith('text/event-stream')
    ? await relayStream({ ...input, type })
    : await relayBody({ ...input, type });
}

type TypedInput = RoundsInput & { readonly type: string };

async function relayStream({ dialect, first, outgoing, commit, limit, type, ...rest }: TypedInput): Promise<void> {
  const filter = filters[dialect]();
  const shown = createAnswerReader({ dialect, contentType: type, limit });
  outgoing.writeHead(200, responseHeaders({ raw: first.headers, without: ['content-length'] }));
  outgoing.flushHeaders();
  const write = (events: readonly StreamEvent[]) => {
    const text = events.map(eventText).join('');
    if (text === '') return;
    shown.read(Buffer.from(text));
    outgoing.write(text);
  };
  const rounds: Round[] = [];
  let [response, { body }] = [first, rest];
  try {
    for (;;) {
      const answer = await readStream({
        dialect,
        response,
        type,
        limit,
        onEvent: (event) => write(filter.event(event)),
      });
      const round = await finishRound({ dialect, answer, ...rest });
      if (!answer || !round) break;
      rounds.push(round);
      if (!isHidden({ dialect, round }) || rounds.length > mostRounds) break;
      const next = await nextRound({ dialect, body, round, send: rest.send });
      if ('failure' in next) {
        outgoing.end(errorEvent({ dialect, failure: next.failure }));
        return;
      }
      write(filter.nextRound());
      ({ response, body } = next);
    }
  } catch (error) {
    response.body.destroy();
    if (outgoing.destroyed) return;
    const message = `The connection to the provider broke off: ${error instanceof Error ? error.message : String(error)}.`;
    outgoing.end(errorEvent({ dialect, failure: { status: 502, code: 'upstream-cut', message } }));
    return;
  }
  const held = filter.end();
  for (const event of held) shown.read(Buffer.from(eventText(event)));
  const answer = shown.finish();
  if (answer && rounds.length > 0) await commit({ rounds, shown: answer });
  outgoing.end(held.map(eventText).join(''));
}

async function relayBody({ dialect, first, outgoing, commit, limit, type, ...rest }: TypedInput): Promise<void> {
  const rounds: Round[] = [];
  const bodies: JsonObject[] = [];
  let [response, { body }] = [first, rest];
  for (;;) {
    const bytes = await collect(response);
    const value = parseJson(bytes.toString('utf8'));
    const answer = readAnswer({ dialect, type, bytes, limit });
    const round = await finishRound({ dialect, answer, ...rest });
    if (!isRecord(value) || !answer || !round) {
      outgoing.writeHead(response.status, responseHeaders({ raw: response.headers }));
      outgoing.end(bytes);
      return;
    }
    rounds.push(round);
    bodies.push(value);
    if (!isHidden({ dialect, round }) || rounds.length > mostRounds) break;
    const next = await nextRound({ dialect, body, round, send: rest.send });
    if ('failure' in next) {
      outgoing.writeHead(next.failure.status, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify(errorBody({ dialect, failure: next.failure })));
      return;
    }
    ({ response, body } = next);
  }
  const isPlain = rounds.length === 1 && rounds[0]?.results === undefined;
  const text = Buffer.from(JSON.stringify(isPlain ? bodies[0] : merges[dialect](bodies)));
  const shown = readAnswer({ dialect, type, bytes: text, limit });
  if (shown) await commit({ rounds, shown });
  outgoing.writeHead(200, responseHeaders({ raw: first.headers, without: ['content-length'] }));
  outgoing.end(text);
}

/** Reads a stream event by event; the answer, where it is whole. */
async function readStream({
  dialect,
  response,
  type,
  limit,
  onEvent,
}: {
  readonly dialect: Dialect;
  readonly response: UpstreamResponse;
  readonly type: string;
  readonly limit: number;
  readonly onEvent: (event: StreamEvent) => void;
}): Promise<Answer | undefined> {
  const reader = createAnswerReader({ dialect, contentType: type, limit });
  const decoder = new TextDecoder();
  const parser = createParser({ onEvent: ({ event, data }) => onEvent({ event, data }) });
  for await (const chunk of response.body as AsyncIterable<Buffer>) {
    reader.read(chunk);
    parser.feed(decoder.decode(chunk, { stream: true }));
  }
  return reader.finish();
}

function readAnswer({
  dialect,
  type,
  bytes,
  limit,
}: {
  readonly dialect: Dialect;
  readonly type: string;
  readonly bytes: Buffer;
  readonly limit: number;
}): Answer | undefined {
  const reader = createAnswerReader({ dialect, contentType: type, limit });
  reader.read(bytes);
  return reader.finish();
}

async function collect({ body }: UpstreamResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Answers the recalls of an answer. */
async function finishRound({
  dialect,
  answer,
  recall,
}: {
  readonly dialect: Dialect;
  readonly answer: Answer | undefined;
  readonly recall: RoundsInput['recall'];
}): Promise<Round | undefined> {
  if (!answer) return undefined;
  const calls = callsIn({ dialect, answer }).filter(({ name }) => name === recallName);
  if (calls.length === 0) return { answer };
  const parts = await Promise.all(
    calls.map(async (call) => resultOf({ call, text: await recall(call).catch(() => 'This could not be looked up.') })),
  );
  return { answer, results: { role: 'tool', parts } };
}

function resultOf({ call, text }: { readonly call: ToolCallPart; readonly text: string }): Message['parts'][number] {
  return {
    type: 'tool_result',
    origin: 'tool',
    callId: call.id,
    name: recallName,
    content: [{ type: 'text', origin: 'tool', text }],
  };
}

function callsIn({ dialect, answer }: { readonly dialect: Dialect; readonly answer: Answer }): ToolCallPart[] {
  return codecs[dialect]
    .decode(answer.items)
    .flatMap(({ parts }) => parts)
    .filter((part) => part.type === 'tool_call');
}

/** Whether a round has recalls and nothing that the client has to answer. */
function isHidden({
  dialect,
  round: { answer, results },
}: {
  readonly dialect: Dialect;
  readonly round: Round;
}): boolean {
  return results !== undefined && callsIn({ dialect, answer }).every(({ name }) => name === recallName);
}

/** The next request: the same with the answer and the results after it. */
async function nextRound({
  dialect,
  body,
  round: { answer, results },
  send,
}: {
  readonly dialect: Dialect;
  readonly body: Buffer;
  readonly round: Round;
  readonly send: RoundsInput['send'];
}): Promise<{ readonly response: UpstreamResponse; readonly body: Buffer } | { readonly failure: GatewayFailure }> {
  const { itemsKey, encode } = codecs[dialect];
  const list = listed({ body, member: itemsKey });
  const items: Json[] = [...answer.items, ...(results ? encode([results]) : [])];
  const next = insertLast({ body: list, member: itemsKey, values: items.filter(isAccepted({ body })) });
  if (!next) throw new Error('The request has no list of items.');
  const response = await send(next);
  if (response.status === 200) return { response, body: next };
  const text = (await collect(response)).toString('utf8').slice(0, 2000);
  const message = `The provider refused to continue after a recall (${response.status}): ${text}`;
  return { failure: { status: response.status, code: 'recall-refused', message } };
}

/** Reasoning that is neither sealed nor stored cannot be sent back. */
function isAccepted({ body }: { readonly body: Buffer }): (item: Json) => boolean {
  const span = readSpans({ bytes: body, itemsKey: '' })?.members.get('store');
  const isStored = span === undefined || body.toString('utf8', span.start, span.end) !== 'false';
  return (item) =>
    isStored || !isRecord(item) || item.type !== 'reasoning' || typeof item.encrypted_content === 'string';
}

/** The body with a list of items where it has the one text that the Responses API takes in its place. */
function listed({ body, member }: { readonly body: Buffer; readonly member: string }): Buffer {
  const span = readSpans({ bytes: body, itemsKey: member })?.members.get(member);
  if (span === undefined || body[span.start] !== 0x22) return body;
  const item = Buffer.concat([
    Buffer.from('[{"role":"user","content":'),
    body.subarray(span.start, span.end),
    Buffer.from('}]'),
  ]);
  return Buffer.concat([body.subarray(0, span.start), item, body.subarray(span.end)]);
}
