import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JudgeDialect, JudgeResult } from '../judge/index.ts';
import { isObject, type JsonRecord } from '../judge/json.ts';
import { LoopbackProvider } from './provider.ts';
import { type Outgoing, send } from './transport.ts';
import type { Loopback, LoopbackAction, LoopbackExchange, LoopbackOptions } from './types.ts';
import { refusalOf, versionMissing, type WireError } from './wire-error.ts';

/** An exchange in progress. */
type MutableExchange = { -readonly [Key in keyof LoopbackExchange]: LoopbackExchange[Key] };

interface SentResponse {
  outgoing: Outgoing;
  verdict?: JudgeResult;
}

/**
 * Starts a provider on 127.0.0.1 that speaks Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini on
 * their real paths. Every request is judged as by the real provider; answers come from a script.
 *
 * @example
 * const loopback = await startLoopback({ script: [{ text: 'Hello.' }] });
 * const answer = await fetch(`${loopback.url}/v1/chat/completions`, {
 *   method: 'POST',
 *   body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'Hi' }] }),
 * });
 * console.log(await answer.text()); // a completion whose message is "Hello."
 * await loopback.close();
 */
export async function startLoopback(options: LoopbackOptions = {}): Promise<Loopback> {
  const provider = new LoopbackProvider({ options, secret: options.secret ?? randomBytes(16).toString('hex') });
  const requests: LoopbackExchange[] = [];
  const server = createServer((request, response) => {
    const settled = Promise.withResolvers<Awaited<LoopbackExchange['done']>>();
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const route = routeOf({
      method: request.method ?? 'GET',
      pathname: url.pathname,
      anthropic: request.headers['anthropic-version'] !== undefined,
    });
    const record: MutableExchange = {
      method: request.method ?? 'GET',
      path: maskPath(url),
      headers: maskHeaders(request.headers),
      text: '',
      body: undefined,
      dialect: route.dialect,
      status: 0,
      bytesSent: 0,
      done: settled.promise,
    };
    requests.push(record);
    if (requests.length > (options.keep ?? Number.POSITIVE_INFINITY)) requests.shift();
    exchange({ request, response, url, route, record, provider, options }).then(settled.resolve, (error: unknown) => {
      // An error of this server or of a given function: the client sees a broken connection, `done` has the error.
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
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface ExchangeInput {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  route: Route;
  record: MutableExchange;
  provider: LoopbackProvider;
  options: LoopbackOptions;
}

async function exchange({ response, record, ...rest }: ExchangeInput): ReturnType<typeof send> {
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

async function answerTo({
  request,
  response,
  url,
  route,
  record,
  provider,
  options,
}: ExchangeInput): Promise<SentResponse> {
  const { dialect, action } = route;
  const { headers, path } = record;
  const refuse = (reason: Parameters<typeof refusalOf>[0]['reason']): SentResponse => ({
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

/** Gemini's token count may wrap the request. */
function unwrapped(body: JsonRecord): JsonRecord {
  return isObject(body.generateContentRequest) ? body.generateContentRequest : body;
}

/** The body as text, or `undefined` if it exceeds the limit; the rest is then discarded. */
async function readBody({ request, limit }: { request: IncomingMessage; limit: number }): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return size > limit ? undefined : Buffer.concat(chunks).toString('utf8');
}

const secretHeaders = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie']);

/** The API key of a request, from the header(s) of its dialect. */
function keyOf({
  dialect,
  headers,
  url,
}: {
  dialect: JudgeDialect;
  headers: IncomingHttpHeaders;
  url: URL;
}): string | undefined {
  const bearer = headers.authorization?.startsWith('Bearer ') ? headers.authorization.slice(7) : undefined;
  if (dialect === 'gemini') return single(headers['x-goog-api-key']) ?? url.searchParams.get('key') ?? undefined;
  if (dialect === 'anthropic') return single(headers['x-api-key']) ?? bearer;
  return bearer;
}

/** Headers with masked keys, so that a recording can be shown and stored. */
function maskHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    masked[name] = secretHeaders.has(name) ? '***' : Array.isArray(value) ? value.join(', ') : value;
  }
  return masked;
}

/** Path and query without the key that Gemini clients may put there. */
function maskPath(url: URL): string {
  const copy = new URL(url);
  if (copy.searchParams.has('key')) copy.searchParams.set('key', '***');
  return `${copy.pathname}${copy.search}`;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

/** The error for a request whose key is missing (`key` undefined) or wrong. */
function keyError({ dialect, key }: { dialect: JudgeDialect; key: string | undefined }): WireError {
  if (dialect === 'anthropic')
    return {
      status: 401,
      type: 'authentication_error',
      message: key === undefined ? 'x-api-key header is required' : 'invalid x-api-key',
    };
  if (dialect === 'gemini') return key === undefined ? geminiMissing : geminiWrong;
  return key === undefined
    ? {
        status: 401,
        type: 'invalid_request_error',
        message:
          "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      }
    : {
        status: 401,
        type: 'invalid_request_error',
        code: 'invalid_api_key',
        message:
          'Incorrect API key provided: ***. You can find your API key at https://platform.openai.com/account/api-keys.',
      };
}

const geminiMissing: WireError = {
  status: 403,
  type: 'PERMISSION_DENIED',
  message:
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
};

const geminiWrong: WireError = {
  status: 400,
  type: 'INVALID_ARGUMENT',
  message: 'API key not valid. Please pass a valid API key.',
  details: [
    { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
  ],
};

/** Target of a request, or why there is none. */
interface Route {
  dialect: JudgeDialect;
  action: LoopbackAction | 'unknown' | 'wrong-method';
  /** Model and streaming, if they are in the path (Gemini). */
  model?: string;
  stream?: boolean;
}

const posts: Record<string, { dialect: JudgeDialect; action: LoopbackAction }> = {
  '/v1/messages': { dialect: 'anthropic', action: 'generate' },
  '/v1/messages/count_tokens': { dialect: 'anthropic', action: 'count' },
  '/v1/chat/completions': { dialect: 'openai-chat', action: 'generate' },
  '/v1/responses': { dialect: 'openai-responses', action: 'generate' },
  '/v1/responses/input_tokens': { dialect: 'openai-responses', action: 'count' },
  '/v1/responses/compact': { dialect: 'openai-responses', action: 'compact' },
};

/** Finds the protocol of a path; unknown paths are answered in the most likely dialect. */
function routeOf({
  method,
  pathname,
  anthropic,
}: {
  method: string;
  pathname: string;
  /** Whether the request has an `anthropic-version`. */
  anthropic: boolean;
}): Route {
  const post = posts[pathname];
  if (post) return method === 'POST' ? post : { ...post, action: 'wrong-method' };
  const dialect = pathname.startsWith('/v1beta/') ? 'gemini' : anthropic ? 'anthropic' : 'openai-chat';
  const call = /^\/v1(?:beta)?\/models\/([^/:]+):(\w+)$/.exec(pathname);
  if (call) return geminiRoute({ method, model: call[1] ?? '', verb: call[2] ?? '' });
  if (pathname === '/v1/models' || pathname === '/v1beta/models')
    return { dialect, action: method === 'GET' ? 'models' : 'wrong-method' };
  return { dialect, action: 'unknown' };
}

function geminiRoute({ method, model, verb }: { method: string; model: string; verb: string }): Route {
  const dialect = 'gemini';
  const action = verb === 'countTokens' ? 'count' : 'generate';
  if (!['generateContent', 'streamGenerateContent', 'countTokens'].includes(verb))
    return { dialect, action: 'unknown' };
  if (method !== 'POST') return { dialect, action: 'wrong-method' };
  return { dialect, action, model: decodeURIComponent(model), stream: verb === 'streamGenerateContent' };
}
