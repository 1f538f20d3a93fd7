import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Verdict } from '../judge/index.ts';
import { isObject, type Json } from '../judge/json.ts';
import { keyOf, maskHeaders, maskPath } from './auth.ts';
import { keyError } from './key-error.ts';
import { Provider } from './provider.ts';
import { readBody } from './read-body.ts';
import { type Route, routeOf } from './route.ts';
import { type Outgoing, send } from './transport.ts';
import type { Loopback, LoopbackExchange, LoopbackOptions } from './types.ts';
import { refusalOf, versionMissing } from './wire-error.ts';

/** An exchange while it is under way. */
type Draft = { -readonly [Key in keyof LoopbackExchange]: LoopbackExchange[Key] };

interface Answered {
  outgoing: Outgoing;
  verdict?: Verdict;
}

/**
 * Starts a provider on 127.0.0.1 that speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini on
 * their real paths. Every request is judged as the real one would; what it answers comes from a script.
 *
 * @example
 * const loopback = await startLoopback({ script: [{ text: 'Hello.' }] });
 * const answer = await fetch(`${loopback.url}/v1/chat/completions`, {
 *   method: 'POST',
 *   body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Hi' }] }),
 * });
 * console.log((await answer.json()).choices[0].message.content); // Hello.
 * await loopback.close();
 */
export async function startLoopback(options: LoopbackOptions = {}): Promise<Loopback> {
  const provider = new Provider({ options, secret: options.secret ?? randomBytes(16).toString('hex') });
  const requests: LoopbackExchange[] = [];
  const server = createServer((request, response) => {
    const settled = Promise.withResolvers<Awaited<LoopbackExchange['done']>>();
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = routeOf({
      method: request.method ?? 'GET',
      pathname: url.pathname,
      anthropic: request.headers['anthropic-version'] !== undefined,
    });
    const record: Draft = {
      ...{ method: request.method ?? 'GET', path: maskPath(url), headers: maskHeaders(request.headers) },
      ...{ text: '', body: undefined, dialect: route.dialect, status: 0, bytesSent: 0, done: settled.promise },
    };
    requests.push(record);
    if (requests.length > (options.keep ?? Number.POSITIVE_INFINITY)) requests.shift();
    exchange({ request, response, url, route, record, provider, options }).then(settled.resolve, (error: unknown) => {
      // A fault of this server or of a function it was given: the client sees a cut connection, `done` has the error.
      response.destroy();
      if (!request.complete) return settled.resolve('aborted');
      settled.reject(error);
      settled.promise.catch(() => undefined);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, requests },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  route: Route;
  record: Draft;
  provider: Provider;
  options: LoopbackOptions;
}

async function exchange({ response, record, ...rest }: Exchange): ReturnType<typeof send> {
  const { outgoing, verdict } = await answerTo({ response, record, ...rest });
  if (verdict) record.verdict = verdict;
  record.status = outgoing.status;
  rest.options.onExchange?.(record);
  return send({
    response,
    outgoing,
    onBytes: (count) => {
      record.bytesSent += count;
    },
  });
}

async function answerTo({ request, response, url, route, record, provider, options }: Exchange): Promise<Answered> {
  const { dialect, action } = route;
  const { headers, path } = record;
  const refuse = (reason: Parameters<typeof refusalOf>[0]['reason']): Answered => ({
    outgoing: provider.error({
      dialect,
      error: refusalOf({ reason, dialect, method: record.method, path: url.pathname }),
    }),
  });
  if (request.headers.upgrade !== undefined) return refuse('upgrade');
  const text = await readBody({ request, limit: options.bodyLimit ?? 32 * 1024 * 1024 });
  if (text === undefined) return refuse('too-large');
  record.text = text;
  if (action === 'unknown' || action === 'wrong-method') return refuse(action);
  const key = keyOf({ dialect, headers: request.headers, url });
  if (options.apiKey !== undefined && key !== options.apiKey)
    return { outgoing: provider.error({ dialect, error: keyError({ dialect, key }) }) };
  if (dialect === 'anthropic' && headers['anthropic-version'] === undefined)
    return { outgoing: provider.error({ dialect, error: versionMissing }) };
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const asked = { dialect, action, headers, path, signal: gone.signal };
  if (action === 'models') return provider.answer({ ...asked, model: '', stream: false, body: {} });
  record.body = parsed(text);
  if (!isObject(record.body)) return refuse('malformed');
  const body = unwrapped(record.body);
  const model = route.model ?? String(body.model ?? '');
  const stream = route.stream ?? (body.stream === true && action === 'generate');
  const array = dialect === 'gemini' && stream && url.searchParams.get('alt') !== 'sse';
  return provider.answer({ ...asked, model, stream, array, body });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Gemini's token count may wrap the request it is about. */
function unwrapped(body: Json): Json {
  return isObject(body.generateContentRequest) ? body.generateContentRequest : body;
}
