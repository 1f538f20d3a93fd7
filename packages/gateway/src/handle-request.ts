import type { IncomingMessage, ServerResponse } from 'node:http';
import { LonghaulError } from 'longhaul';
import type { Dialect } from 'longhaul/message';
import { errorBody, type GatewayFailure } from './errors.ts';
import { BodyTooLarge, readBody } from './http/body.ts';
import { headerIn, requestHeaders } from './http/headers.ts';
import type { GatewayLimits } from './options.ts';
import { relay } from './relay.ts';
import { type Route, routeOf } from './route.ts';
import type { Upstream, UpstreamResponse } from './upstream.ts';

/** What all requests share. */
export interface RequestParts {
  readonly upstreams: ReadonlyMap<string, URL>;
  readonly upstream: Upstream;
  readonly limits: GatewayLimits;
}

/** A request of a client on its way. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Path and query, without the prefix of the token. */
  readonly path: string;
}

/** Handles one request from top to bottom: route, read, send, relay. */
export async function handleRequest({
  parts,
  exchange,
}: {
  readonly parts: RequestParts;
  readonly exchange: Exchange;
}): Promise<void> {
  const { incoming, outgoing, path } = exchange;
  const { upstreams, upstream, limits } = parts;
  const { method = 'GET', headers } = incoming;
  const gone = new AbortController();
  outgoing.once('close', () => gone.abort());
  let route: Route | undefined;
  try {
    // 1. Where it goes.
    route = routeOf({ path, method, headers, upstreams });

    // 2. What it says. Only routes that carry a conversation are read; everything else is streamed.
    const body = route.known ? await readBody({ incoming, limit: limits.bodyBytes }) : streamedBody(incoming);

    // 3. Send it.
    const response = await upstream.send({
      route,
      method,
      headers: requestHeaders({ raw: incoming.rawHeaders }),
      body,
      signal: gone.signal,
    });
    refuseRedirect(response);

    // 4. Relay the response.
    await relay({ response, outgoing, dialect: route.dialect });
  } catch (error) {
    if (outgoing.destroyed) return;
    sendFailure({ outgoing, dialect: route?.dialect, failure: failureOf(error) });
  }
}

function streamedBody(incoming: IncomingMessage): IncomingMessage | undefined {
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || (length !== undefined && length !== '0') ? incoming : undefined;
}

/** A client that follows a redirect sends its key to whatever address it names. */
function refuseRedirect({ status, headers, body }: UpstreamResponse): void {
  if (status < 300 || status >= 400 || status === 304) return;
  body.destroy();
  throw new LonghaulError({
    code: 'upstream-redirect',
    message: `The upstream answered with a redirect to ${URL.parse(headerIn(headers, 'location') ?? '')?.origin ?? 'another address'}.`,
    hint: 'Redirects are refused because they would receive the credentials; name the final address with --upstream.',
  });
}

const statuses: Readonly<Record<string, number>> = { 'unknown-upstream': 404 };

function failureOf(error: unknown): GatewayFailure {
  if (error instanceof BodyTooLarge)
    return { status: 413, code: 'body-too-large', message: 'The request body is larger than the gateway allows.' };
  if (LonghaulError.is(error))
    return { status: statuses[error.code] ?? 502, code: error.code, message: `${error.message} ${error.hint}` };
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const isTimeout = code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
  return {
    status: isTimeout ? 504 : 502,
    code: isTimeout ? 'upstream-timeout' : 'upstream-unreachable',
    message: `The upstream did not answer: ${String(message ?? code ?? error)}.`,
  };
}

/** Sends an error of the gateway in the dialect of the route. */
export function sendFailure({
  outgoing,
  dialect,
  failure,
}: {
  readonly outgoing: ServerResponse;
  readonly dialect: Dialect | undefined;
  readonly failure: GatewayFailure;
}): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const text = JSON.stringify(errorBody({ dialect, failure }));
  outgoing.writeHead(failure.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-longhaul-error': failure.code,
    // What was not read of the body would be taken for the next request.
    ...(failure.status === 413 && { connection: 'close' }),
  });
  outgoing.end(text);
}
