import { createParser } from 'eventsource-parser';
import type { TargetModel } from 'longhaul/engine';
import { type JsonObject, writeRequest } from 'longhaul/message';
import { classifyFailure, type Model, type ModelEnd, type ModelEvent, type ModelRequest } from 'longhaul/models';
import { createAnswerDecoder } from 'longhaul/models/clients';
import { headerIn } from '../http/headers.ts';
import { isRecord, parseJson } from '../json.ts';
import type { Upstream, UpstreamResponse } from '../upstream.ts';

/** How a client reaches its model. It is kept in memory only, and only as long as its conversation is open. */
export interface Caller {
  readonly model: TargetModel;
  readonly origin: string;
  /** Of a request that is answered with a stream. */
  readonly path: string;
  /** With the credentials, as name and value in turn. */
  readonly headers: readonly string[];
}

/** Milliseconds for one call. */
const longestCall = 120_000;

/** The model of a client, asked with the client's own key on the same upstream. Failures are values, as for any model. */
export function createCallerModel({
  caller,
  upstream,
}: {
  readonly caller: Caller;
  readonly upstream: Upstream;
}): Model {
  const { model } = caller;
  return { ...model, stream: (request) => stream({ caller, upstream, request }) };
}

async function* stream({
  caller,
  upstream,
  request,
}: {
  readonly caller: Caller;
  readonly upstream: Upstream;
  readonly request: ModelRequest;
}): AsyncGenerator<ModelEvent> {
  const { dialect, id } = caller.model;
  const decoder = createAnswerDecoder({ dialect });
  const signal = AbortSignal.any([AbortSignal.timeout(longestCall), ...(request.signal ? [request.signal] : [])]);
  let failure: ReturnType<typeof classifyFailure> | undefined;
  try {
    const response = await upstream.send({
      route: caller,
      method: 'POST',
      headers: caller.headers,
      body: Buffer.from(JSON.stringify(bodyOf({ caller, request }))),
      signal,
    });
    if (response.status !== 200) failure = await failureOf({ response, dialect, provider: id.provider });
    else for await (const event of eventsOf(response)) yield* decoder.read(event);
  } catch (error) {
    failure = classifyFailure({ dialect, provider: id.provider, error });
  }
  yield endOf();

  function endOf(): ModelEnd {
    const end = { type: 'end', message: decoder.message() } as const;
    const ending = decoder.ending();
    if (request.signal?.aborted) return { ...end, reason: 'aborted' };
    if (failure) return { ...end, reason: 'failed', failure };
    if (ending && ending.reason !== 'failed') return { ...end, ...ending };
    const error = ending && 'error' in ending ? ending.error : new Error('The stream ended without its end event.');
    return { ...end, reason: 'failed', failure: classifyFailure({ dialect, provider: id.provider, error }) };
  }
}

function bodyOf({ caller, request }: { readonly caller: Caller; readonly request: ModelRequest }): JsonObject {
  const { dialect, id, info } = caller.model;
  const { head, items, tools, options } = request;
  const most = Math.min(options.maxOutputTokens ?? 8_192, info.maxOutput);
  const conversation = writeRequest({ dialect, conversation: { head, messages: items, tools } });
  switch (dialect) {
    case 'anthropic':
      return { model: id.name, max_tokens: most, stream: true, ...conversation };
    case 'openai-chat':
      return { model: id.name, stream: true, stream_options: { include_usage: true }, ...conversation };
    case 'openai-responses':
      return { model: id.name, max_output_tokens: most, stream: true, store: false, ...conversation };
    case 'gemini':
      return { ...conversation, generationConfig: { maxOutputTokens: most } };
  }
}

async function* eventsOf({ body }: UpstreamResponse): AsyncGenerator<JsonObject> {
  const waiting: JsonObject[] = [];
  const parser = createParser({
    onEvent({ data }) {
      const event = data === '[DONE]' ? undefined : parseJson(data);
      if (isRecord(event)) waiting.push(event);
    },
  });
  const text = new TextDecoder();
  for await (const chunk of body as AsyncIterable<Buffer>) {
    parser.feed(text.decode(chunk, { stream: true }));
    yield* waiting.splice(0);
  }
}

async function failureOf({
  response: { status, headers, body },
  dialect,
  provider,
}: {
  readonly response: UpstreamResponse;
  readonly dialect: TargetModel['dialect'];
  readonly provider: string;
}) {
  let text = '';
  for await (const chunk of body as AsyncIterable<Buffer>) if (text.length < 100_000) text += chunk.toString('utf8');
  const get = (name: string) => headerIn(headers, name) ?? null;
  return classifyFailure({ dialect, provider, status, headers: { get }, body: text });
}
