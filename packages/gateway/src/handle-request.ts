import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { LonghaulError } from 'longhaul';
import type { Dialect } from 'longhaul/message';
import { classifyFailure } from 'longhaul/models';
import type { Logger } from 'pino';
import { createAnswerReader } from './answer-reader.ts';
import type { ClientRequest } from './client-request.ts';
import { within } from './conversation/work-queues.ts';
import { errorBody, type GatewayFailure } from './errors.ts';
import {
  commitAnswer,
  type Followed,
  type FollowParts,
  followRequest,
  isCompactionRequest,
  peekRequest,
  quickBody,
  readFollowed,
  shrinkRequest,
} from './follow.ts';
import { BodyTooLarge, decodeBody, readBody } from './http/body.ts';
import { headerIn, requestHeaders } from './http/headers.ts';
import type { GatewayLimits } from './options.ts';
import { offerTo } from './recall/offered.ts';
import { type RelayTap, relay } from './relay.ts';
import { originalUsage } from './report/original-usage.ts';
import { RequestTrace } from './report/record.ts';
import type { Reporter } from './report/reporter.ts';
import { type KnownRoute, type Route, routeOf } from './route.ts';
import type { Upstream, UpstreamResponse } from './upstream.ts';

/** What all requests share. */
export interface RequestParts {
  readonly upstreams: ReadonlyMap<string, URL>;
  readonly upstream: Upstream;
  readonly limits: GatewayLimits;
  readonly follow: FollowParts;
  readonly dryRun: boolean;
  /** Whether clients see the usage of the prompt that they made, and not of the one that was sent. */
  readonly reportsOriginal: boolean;
  readonly logger: Logger;
  readonly reporter: Reporter;
}

/** A request of a client on its way. */
export interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Path and query, without the prefix of the token. */
  readonly path: string;
}

/** Handles one request from top to bottom: route, read, follow its conversation, send, relay, record the answer. */
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
  const trace = new RequestTrace({ path });
  const ended = parts.reporter.metrics.started();
  let route: Route | undefined;
  let plan: RequestPlan | undefined;
  try {
    // 1. Where it goes.
    route = routeOf({ path, method, headers, upstreams });
    trace.upstream = route.upstream;
    const sent = { route, method, signal: gone.signal };

    // 2. What is not a conversation is streamed through.
    if (!route.known) {
      const raw = requestHeaders({ raw: incoming.rawHeaders });
      trace.markSent();
      const response = await upstream.send({ ...sent, headers: raw, body: streamedBody(incoming) });
      refuseRedirect(response);
      trace.status = response.status;
      await relay({ response, outgoing, dialect: route.dialect });
      return;
    }

    // 3. What it says, and what is sent for it. Where that fails, the request goes on as it came.
    const body = await readBody({ incoming, limit: limits.bodyBytes });
    trace.markRead();
    plan = await planRequest({ parts, route: { ...route, known: route.known }, incoming, body, trace });
    const recall = plan?.followed && !parts.dryRun ? offerTo({ followed: plan.followed }) : undefined;
    const offered = (bytes: Buffer | undefined) => recall?.offer(bytes) ?? bytes;
    let rewritten = parts.dryRun ? undefined : offered(plan?.body);

    // 4. Send it; a request that is too long for the provider is made smaller once.
    trace.sentBytes = (rewritten ?? plan?.bytes ?? body).length;
    trace.markSent();
    const first = await upstream.send({
      ...sent,
      ...payload({ incoming, body, rewritten, isRead: plan?.follow !== undefined }),
    });
    refuseRedirect(first);
    const response = await shrunkOnOverflow({ parts, plan, first, resend });
    trace.status = response.status;

    // 5. Relay the response, and record the answer before its end is sent.
    if (recall && plan?.followed && rewritten && isReadable(response)) {
      const relayed = { parts, followed: plan.followed, first: response, outgoing, body: rewritten, send };
      trace.usage = await recall.relay(relayed);
      return;
    }
    const tap = plan && answerTap({ parts, plan, response, trace });
    const removedHeaders = tap?.rewrite ? ['content-length'] : [];
    await relay({ response, outgoing, tap, dialect: route.dialect, removedHeaders });

    function resend(smaller: Buffer): Promise<UpstreamResponse> {
      rewritten = offered(smaller) ?? smaller;
      trace.action = 'shrunk';
      trace.sentBytes = rewritten.length;
      return send(rewritten);
    }

    function send(bytes: Buffer): Promise<UpstreamResponse> {
      return upstream.send({ ...sent, ...payload({ incoming, body, rewritten: bytes, isRead: true }) });
    }
  } catch (error) {
    const failure = failureOf(error);
    trace.action = 'refused';
    trace.status = failure.status;
    if (!outgoing.destroyed) sendFailure({ outgoing, dialect: route?.dialect, failure });
  } finally {
    ended();
    await plan?.follow?.();
    const { reporter, follow: followParts } = parts;
    const record = trace.record({
      previousTokens: (session) => reporter.log.previousTokens(session),
      summaryCost: (session) => followParts.summarizer?.takeCost(session) ?? 0,
    });
    reporter.record(record);
  }
}

/** What is sent for a request, and how its conversation is followed. */
interface RequestPlan {
  readonly request: ClientRequest;
  /** `undefined` for the body as it came. */
  readonly body: Buffer | undefined;
  /** The body as it came, decompressed. */
  readonly bytes: Buffer;
  /**
   * The conversation that the request continues, with its items in the log; `undefined` where following it failed.
   * Absent for requests that only ask about a conversation.
   */
  readonly follow?: () => Promise<Followed | undefined>;
  /** The same, where it was needed before the request is sent. */
  readonly followed?: Followed;
}

/**
 * Decides what is sent for a request; `undefined` where it carries no conversation that is followed. As long as nothing
 * can be due, the request is sent at once, and the log is written while the provider answers.
 */
async function planRequest({
  parts,
  route,
  incoming,
  body,
  trace,
}: {
  readonly parts: RequestParts;
  readonly route: Route & { readonly known: KnownRoute };
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly trace: RequestTrace;
}): Promise<RequestPlan | undefined> {
  const { headers } = incoming;
  const failed = (error: unknown) => {
    trace.action = 'failed-open';
    parts.logger.warn({ err: problemOf(error), upstream: route.upstream }, 'the request was forwarded as it came');
    return undefined;
  };
  try {
    const encoding = headers['content-encoding'];
    const bytes = await decodeBody({ body, encoding, limit: parts.limits.bodyBytes });
    const request = bytes && readFollowed({ parts: parts.follow, route, bytes });
    if (!request) return undefined;
    trace.receivedBytes = bytes.length;
    trace.model = request.model;
    const input = { parts: parts.follow, route, request, headers };
    if (route.known.action !== 'generate' || isCompactionRequest(request))
      return { request, bytes, body: await peekRequest(input) };
    let following: Promise<Followed | undefined> | undefined;
    const follow = () => {
      following ??= followRequest({ ...input, rawHeaders: incoming.rawHeaders }).then(traced, failed);
      return following;
    };
    const quick = quickBody(input);
    if (quick) return { request, bytes, body: quick.body, follow };
    const followed = await follow();
    return followed && { request, bytes, body: followed.body, follow, followed };
  } catch (error) {
    if (error instanceof BodyTooLarge) throw error;
    return failed(error);
  }

  function traced(followed: Followed | undefined): Followed | undefined {
    if (!followed) return undefined;
    trace.session = followed.conversation.id;
    trace.client = followed.hints.client;
    trace.info = followed.model.info;
    if (trace.action === 'passed')
      trace.action = followed.compacted ? 'compacted' : followed.body ? 'rewritten' : 'unchanged';
    return followed;
  }
}

/** Headers and body of a request to the provider. */
function payload({
  incoming,
  body,
  rewritten,
  isRead,
}: {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly rewritten: Buffer | undefined;
  /** Whether the response will be read, so that it must not be compressed. */
  readonly isRead: boolean;
}) {
  const headers = requestHeaders({
    raw: incoming.rawHeaders,
    without: rewritten ? ['content-encoding'] : [],
    set: isRead && incoming.headers['accept-encoding'] !== undefined ? { 'accept-encoding': 'identity' } : {},
  });
  return { headers, body: rewritten ?? body };
}

/** Bytes of an error that are read to tell what it is. */
const longestError = 1024 * 1024;

/** The response, or that of a smaller request where the provider said that the first one was too long. */
async function shrunkOnOverflow({
  parts,
  plan,
  first,
  resend,
}: {
  readonly parts: RequestParts;
  readonly plan: RequestPlan | undefined;
  readonly first: UpstreamResponse;
  readonly resend: (smaller: Buffer) => Promise<UpstreamResponse>;
}): Promise<UpstreamResponse> {
  if (!plan?.follow || parts.dryRun || (first.status !== 400 && first.status !== 413)) return first;
  const followed = await plan.follow();
  if (!followed) return first;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of first.body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > longestError) break;
  }
  const text = Buffer.concat(chunks);
  const same = { ...first, body: Readable.from([text]) };
  const { dialect, id } = followed.model;
  const failure = classifyFailure({
    dialect,
    provider: id.provider,
    status: first.status,
    body: text.toString('utf8'),
  });
  if (failure.kind !== 'overflow') return same;
  try {
    const smaller = await shrinkRequest({ parts: parts.follow, followed, failure });
    if (!smaller) return same;
    const response = await resend(smaller);
    refuseRedirect(response);
    return response;
  } catch (error) {
    parts.logger.warn({ err: problemOf(error) }, 'the request could not be made smaller');
    return same;
  }
}

function answerTap({
  parts,
  plan: { request, follow },
  response,
  trace,
}: {
  readonly parts: RequestParts;
  readonly plan: RequestPlan;
  readonly response: UpstreamResponse;
  readonly trace: RequestTrace;
}): RelayTap | undefined {
  if (!follow || !isReadable(response)) return undefined;
  const contentType = headerIn(response.headers, 'content-type') ?? '';
  const reader = createAnswerReader({ dialect: request.dialect, contentType, limit: parts.limits.answerBytes });
  const requestId = headerIn(response.headers, 'request-id') ?? headerIn(response.headers, 'x-request-id');
  const isEventStream = contentType.startsWith('text/event-stream');
  const isScaled = parts.reportsOriginal && trace.ratio > 1;
  return {
    ...(isScaled && originalUsage({ dialect: request.dialect, isEventStream, ratio: trace.ratio })),
    observe(chunk) {
      trace.markChunk();
      reader.read(chunk);
      // The first bytes are on their way: there is time for the log now.
      void follow();
    },
    async finish() {
      const answer = reader.finish();
      trace.usage = answer?.usage;
      const recorded = follow().then(async (followed) => {
        if (!answer || !followed || parts.dryRun) return;
        await commitAnswer({ parts: parts.follow, followed, answer, requestId });
      });
      // The end of the response waits for the log, but not for a store that hangs.
      await within({ ms: longestCommit, work: recorded }).catch((error: unknown) =>
        parts.logger.warn({ err: problemOf(error) }, 'the answer was not recorded'),
      );
    },
  };
}

function isReadable({ status, headers }: UpstreamResponse): boolean {
  return status === 200 && headerIn(headers, 'content-encoding') === undefined;
}

/** Milliseconds for which the end of a response waits until its answer is in the log. */
const longestCommit = 2_000;

/** What went wrong, without anything of the conversation. */
function problemOf(error: unknown): { readonly code: string; readonly message: string } {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return { code: String(code ?? 'unknown'), message: String(message ?? error) };
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
