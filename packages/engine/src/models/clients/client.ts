import { isObject, parseJson } from '../../json.ts';
import type { Dialect, JsonObject } from '../../message/index.ts';
import type { ModelInfo } from '../catalog/info.ts';
import { isAbort } from '../failure/abort.ts';
import { classifyFailure, requestIdIn } from '../failure/classify.ts';
import type { ModelFailure } from '../failure/failure.ts';
import type { Model, ModelEnd, ModelEvent, ModelRequest } from '../model.ts';
import { askForCompaction, readCompactionSignals, signedBy } from '../provider-compaction.ts';
import { silentOverflow } from '../silent-overflow.ts';
import { promptTokens, type Usage } from '../usage.ts';
import { textOf } from '../wire/bound-body.ts';
import type { Answer } from '../wire/bounded-fetch.ts';
import type { WireLimits } from '../wire/limits.ts';
import type { Decoder, Ending } from './dialects/decoder.ts';
import { type HeadersOf, tagOf, type WriteBody } from './dialects/request-body.ts';
import { NoStream, readEvents } from './event-stream.ts';
import type { Transport } from './transport/transport.ts';

/** What makes a model of a dialect: how its body is written, carried and its stream read. */
export interface ClientParts {
  readonly id: Model['id'];
  readonly dialect: Dialect;
  readonly info: ModelInfo;
  readonly writeBody: WriteBody;
  readonly headersOf?: HeadersOf | undefined;
  readonly transport: Transport;
  readonly createDecoder: () => Decoder;
  readonly limits: Pick<WireLimits, 'eventBytes'>;
  /** Values that must not reach a message. */
  readonly secrets: readonly string[];
  readonly now: () => number;
}

/** A model behind a wire. It sends each request once; who wants repetitions wraps it in `withRetry`. */
export function createClient(parts: ClientParts): Model {
  const { id, dialect, info } = parts;
  return { id, dialect, info, stream: (request) => stream({ parts, request }) };
}

async function* stream({
  parts,
  request,
}: {
  readonly parts: ClientParts;
  readonly request: ModelRequest;
}): AsyncGenerator<ModelEvent> {
  const { id, info, writeBody, transport, createDecoder } = parts;
  const decoder = createDecoder();
  const gone = new AbortController();
  const signal = request.signal ? AbortSignal.any([request.signal, gone.signal]) : gone.signal;
  let response: Answer | undefined;
  let usage: Usage | undefined;
  let thrown: unknown;
  try {
    signal.throwIfAborted();
    const body = writeBody({ model: id.name, info, request });
    const headers = headersOf({ parts, request, body });
    response = await transport({ text: JSON.stringify(body), headers, signal });
    if (!response.ok) throw await refusal(response);
    for await (const data of readEvents({ reader: response.reader, limit: parts.limits.eventBytes })) {
      for (const event of readData({ decoder, data })) {
        if (event.type === 'usage') usage = event.usage;
        yield event;
      }
      if (decoder.isOver()) break;
    }
  } catch (error) {
    thrown = error;
  } finally {
    // Also reached by `return`: the consumer stopped reading, so the response is cancelled.
    if (!decoder.isOver()) gone.abort();
  }
  yield endOf({
    parts,
    decoder,
    usage,
    thrown,
    headers: response?.headers,
    isAborted: request.signal?.aborted ?? false,
  });
}

const beta = 'anthropic-beta';

/** What a request is tagged with; words that several turn on are one list. */
function headersOf({
  parts,
  request,
  body,
}: {
  readonly parts: ClientParts;
  readonly request: ModelRequest;
  readonly body: JsonObject;
}): Readonly<Record<string, string>> {
  const { headers } = askForCompaction({ dialect: parts.dialect, info: parts.info, request });
  const own = parts.headersOf?.({ body, model: parts.id.name }) ?? {};
  const betas = [headers[beta], own[beta]].filter((value) => value !== undefined);
  return { ...tagOf(request.options), ...headers, ...own, ...(betas.length > 1 && { [beta]: betas.join(',') }) };
}

function readData({ decoder, data }: { readonly decoder: Decoder; readonly data: string }): readonly ModelEvent[] {
  if (data === '[DONE]') {
    decoder.close?.();
    return [];
  }
  const event = parseJson(data);
  if (!isObject(event)) throw new Error('The stream ended before it was whole: an event in it is no JSON.');
  return [...decoder.read(event), ...signalsIn(event)];
}

/** What the provider did to the context: an item of the answer, or edits that are listed at its end. */
function signalsIn(event: JsonObject): ModelEvent[] {
  const isItem = event.type === 'response.output_item.done';
  const signals = readCompactionSignals(isItem ? event.item : event);
  // Anthropic may list its compactions among the edits; the content block has already reported them.
  return signals
    .filter(({ kind }) => isItem || kind === 'edits')
    .map((signal) => ({ type: 'provider_compaction', signal }));
}

/** The error of a response that is not OK. */
async function refusal(response: Answer): Promise<unknown> {
  const text = await textOf(response.reader);
  const body: unknown = parseJson(text) ?? text;
  return Object.assign(new Error(), { status: response.status, headers: response.headers, body });
}

function endOf({
  parts,
  decoder,
  usage,
  thrown,
  headers,
  isAborted,
}: {
  readonly parts: ClientParts;
  readonly decoder: Decoder;
  readonly usage: Usage | undefined;
  readonly thrown: unknown;
  readonly headers: Answer['headers'] | undefined;
  readonly isAborted: boolean;
}): ModelEnd {
  const message = signedBy({ message: decoder.message(), provider: parts.info.provider });
  const requestId = headers && requestIdIn((name) => headers.get(name) ?? undefined);
  const end = { type: 'end', message, ...(requestId !== undefined && { requestId }) } as const;
  if (isAborted && !decoder.isOver()) return { ...end, reason: 'aborted' };
  // The provider's end reason is kept, even if the connection broke after it.
  const ending = decoder.ending();
  if (ending === undefined) {
    if (isAbort(thrown)) return { ...end, reason: 'aborted' };
    return { ...end, reason: 'failed', failure: failureOf({ parts, thrown, headers }) };
  }
  if (ending.reason === 'failed') return { ...end, reason: 'failed', failure: said({ parts, ending, headers }) };
  if (ending.reason === 'refused') return { ...end, ...ending };
  const overflow = overflowOf({ parts, usage, reason: ending.reason });
  return overflow ? { ...end, reason: 'failed', failure: overflow } : { ...end, reason: ending.reason };
}

function failureOf({
  parts,
  thrown,
  headers,
}: {
  readonly parts: ClientParts;
  readonly thrown: unknown;
  readonly headers: Answer['headers'] | undefined;
}): ModelFailure {
  if (thrown instanceof NoStream && /^</.test(thrown.text))
    return {
      kind: 'invalid',
      retryable: false,
      message: `${parts.id.provider} answered with a page and not with an answer: check the base URL.`,
    };
  const isNoStream = thrown instanceof NoStream;
  if (isNoStream && thrown.text !== '') return classify({ parts, body: thrown.text, headers });
  const error = isNoStream || thrown === undefined ? new Error('The stream ended without its end event.') : thrown;
  return classify({ parts, error, headers });
}

/** The provider's own word on what went wrong, inside a stream that began well. */
function said({
  parts,
  ending,
  headers,
}: {
  readonly parts: ClientParts;
  readonly ending: Ending & { readonly reason: 'failed' };
  readonly headers: Answer['headers'] | undefined;
}): ModelFailure {
  if ('failure' in ending) return ending.failure;
  const isBody = isObject(ending.error) && !(ending.error instanceof Error);
  return classify({ parts, headers, ...(isBody ? { body: ending.error } : { error: ending.error }) });
}

function classify({
  parts,
  ...rest
}: {
  readonly parts: ClientParts;
  readonly error?: unknown;
  readonly body?: JsonObject | string | unknown;
  readonly headers: Answer['headers'] | undefined;
}): ModelFailure {
  const { dialect, id, secrets, now } = parts;
  return classifyFailure({ dialect, provider: id.provider, secrets, now: now(), ...rest });
}

/** Providers that take more than they can read say so only by their usage. Figures that are guesses prove nothing. */
function overflowOf({
  parts,
  usage,
  reason,
}: {
  readonly parts: ClientParts;
  readonly usage: Usage | undefined;
  readonly reason: 'stop' | 'length' | 'tool_calls' | 'paused';
}): ModelFailure | undefined {
  const { info, id } = parts;
  const isKnown = info.known && (info.quirks.includes('silentOverflow') || reason === 'length');
  if (!isKnown || usage === undefined || !silentOverflow({ usage, endReason: reason, window: info.window }))
    return undefined;
  return {
    kind: 'overflow',
    retryable: false,
    limit: info.window,
    used: promptTokens(usage),
    message: `${id.provider} took a prompt of ${promptTokens(usage)} tokens for a window of ${info.window} without an error.`,
  };
}
