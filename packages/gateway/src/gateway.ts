import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { LonghaulError } from 'longhaul';
import { presets } from 'longhaul/engine';
import { createMemoryStore, openSqliteStore } from 'longhaul/session';
import { type Logger, pino } from 'pino';
import { createApi } from './api.ts';
import { ChainIndex } from './conversation/chain-index.ts';
import { Conversations } from './conversation/conversations.ts';
import { handleRequest, type RequestParts, sendFailure } from './handle-request.ts';
import { admit, isLoopbackName } from './http/guard.ts';
import { KnownRequests } from './known-requests.ts';
import { ConversationEnds } from './memory.ts';
import { defaultLimits, defaultUpstreams, type GatewayOptions } from './options.ts';
import { createMetrics } from './report/metrics.ts';
import { type GatewayTotals, Reporter } from './report/reporter.ts';
import { RequestLog } from './report/request-log.ts';
import { readUpstreams } from './route.ts';
import { createCallerSummarizer } from './summarize/caller-summarizer.ts';
import { createUpstream } from './upstream.ts';

/** A gateway that is listening. */
export interface Gateway {
  /** `http://HOST:PORT`, to be set as the base URL of a client. */
  readonly url: string;
  readonly port: number;
  /** What `/longhaul/…` routes expect in `x-longhaul-token`; generated where none was configured. */
  readonly token: string;
  /** What passed through since the start. */
  totals(): GatewayTotals;
  /** Stops listening, lets open streams end, and flushes the log. */
  close(): Promise<void>;
}

/**
 * Starts a gateway in front of the model providers. Requests pass through byte for byte until a conversation outgrows
 * its window; from then on the compacted conversation is sent in its place.
 *
 * @example
 * const gateway = await createGateway({ dir: '.longhaul', port: 4141 });
 * process.env.ANTHROPIC_BASE_URL = gateway.url;
 */
export async function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { host = '127.0.0.1', port = 0, env = process.env } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const isLoopback = isLoopbackName(host.toLowerCase());
  if (!isLoopback && !options.token) throw needsToken(host);
  const upstreams = readUpstreams({ ...defaultUpstreams, ...options.upstreams });
  const upstream = createUpstream({ env, idleTime: limits.idleTime });
  const token = options.token ?? randomBytes(18).toString('base64url');
  const { dir, window, preset = 'longhaul', hooks, secrets } = options;
  const logger = options.logger ?? createLogger(options.onAccess);
  const store = options.store ?? (dir === undefined ? createMemoryStore() : await openSqliteStore({ dir }));
  const index = new ChainIndex({ dir });
  const { maxSummaryCost: maxCost = 1, telemetry } = options;
  const summarizer = options.summarizer === 'model' ? createCallerSummarizer({ upstream, maxCost }) : undefined;
  const conversations = await Conversations.create({
    store,
    index,
    policy: preset,
    storeTime: limits.storeTime,
    ...(summarizer && { summarizer }),
    ...(hooks && { hooks }),
    ...(secrets && { secrets }),
    ...(telemetry && { onOpen: (session) => telemetry.session(session) }),
  });
  const reporter = new Reporter({ log: new RequestLog({ dir }), metrics: createMetrics(), logger, telemetry });
  const ends = options.memory?.ended && new ConversationEnds(options.memory.ended);
  const parts: RequestParts = {
    upstreams,
    upstream,
    limits,
    follow: {
      conversations,
      known: new KnownRequests(),
      window,
      recall: options.recall ?? false,
      summarizer,
      isQuick: isQuickPolicy(preset),
      memory: options.dryRun ? undefined : options.memory,
      ends,
    },
    dryRun: options.dryRun ?? false,
    reportsOriginal: options.report === 'original',
    logger,
    reporter,
  };
  const api = getRequestListener(createApi({ reporter, store }).fetch);

  const active = new Set<Promise<void>>();
  const idle = setTimeout(checkpoint, idleTime).unref();
  const listener = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { url = '/', headers, rawHeaders } = incoming;
    const admission = admit({ url, headers, rawHeaders, isLoopback, token });
    if ('refused' in admission) return sendFailure({ outgoing, dialect: undefined, failure: admission.refused });
    const { path, hasToken } = admission;
    const isOwn = path === '/longhaul' || path.startsWith('/longhaul/');
    const isOpen = options.token === undefined && (!isOwn || isContentFree(path));
    if (!hasToken && !isOpen) return sendFailure({ outgoing, dialect: undefined, failure: missingToken });
    if (!isOwn) {
      const handled = handleRequest({ parts, exchange: { incoming, outgoing, path } });
      active.add(handled);
      idle.refresh();
      await handled.finally(() => active.delete(handled));
      // A connection that is kept alive would delay the end.
      if (closing) setImmediate(() => server.closeIdleConnections());
      return void idle.refresh();
    }
    incoming.url = path;
    return await api(incoming, outgoing);
  };
  const connectionsCheckingInterval = Math.min(5_000, limits.headerTime);
  const server = createServer({ noDelay: true, requireHostHeader: false, connectionsCheckingInterval }, listener);
  server.headersTimeout = limits.headerTime;
  server.requestTimeout = limits.idleTime;
  // Longer than the upstream's, so that a client gets an error of its protocol and not a closed connection.
  server.timeout = limits.idleTime + 10_000;
  server.maxConnections = limits.connections;
  server.on('upgrade', refuseUpgrade);
  server.on('connect', (_request, socket: Duplex) => socket.end('HTTP/1.1 405 Method Not Allowed\r\n\r\n'));
  await listening({ server, host, port });
  const { port: bound } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  function checkpoint() {
    try {
      index.checkpoint();
      reporter.log.checkpoint();
    } catch (error) {
      logger.warn({ message: String(error) }, 'the index of conversations could not be written to its file');
    }
  }
  const close = async () => {
    await stopped({ server, closeTime: limits.closeTime });
    await Promise.allSettled(active);
    clearTimeout(idle);
    await upstream.close();
    await conversations.close();
    reporter.log.close();
    if (options.store === undefined) await store.close();
    ends?.close();
  };
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    port: bound,
    token,
    totals: () => reporter.totals(),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

/** Milliseconds without the beginning or the end of a request, after which databases are written to their files. */
const idleTime = 250;

/** Policies that change requests long before the window is full need each of them to be prepared first. */
function isQuickPolicy(preset: NonNullable<GatewayOptions['preset']>): boolean {
  const { prune } = typeof preset === 'string' ? presets[preset] : preset;
  return prune.offloadAbove === undefined;
}

/** Keys never reach a logger; what does is redacted all the same if it has a name of one. */
function createLogger(onAccess: GatewayOptions['onAccess']): Logger {
  if (!onAccess) return pino({ enabled: false });
  const redact = ['authorization', '*.authorization', '*["x-api-key"]', '*["x-goog-api-key"]'];
  return pino({ base: null, redact }, { write: (line: string) => onAccess(line.trimEnd()) });
}

/** Health and metrics have no content of conversations in them. */
function isContentFree(path: string): boolean {
  return /^\/longhaul\/(health|metrics)(\?|$)/.test(path);
}

/** Codex tries a websocket first and falls back to HTTP at once on this status. */
function refuseUpgrade(_request: IncomingMessage, socket: Duplex): void {
  const text = '{"error":{"message":"The gateway has no websockets. Use HTTP.","type":"invalid_request_error"}}';
  socket.on('error', () => socket.destroy());
  socket.end(
    `HTTP/1.1 426 Upgrade Required\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
  );
}

function listening({ server, host, port }: { server: Server; host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen({ error, host, port })));
    server.listen({ host, port }, () => resolve());
  });
}

async function stopped({ server, closeTime }: { server: Server; closeTime: number }): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  const late = setTimeout(() => server.closeAllConnections(), closeTime);
  await closed;
  clearTimeout(late);
}

const missingToken = {
  status: 401,
  code: 'token-missing',
  message: 'This needs the token of the gateway: send it in the header x-longhaul-token, or as the prefix /t/TOKEN.',
};

function needsToken(host: string): LonghaulError {
  return new LonghaulError({
    code: 'token-missing',
    message: `Listening on ${host} makes the gateway reachable from other machines.`,
    hint: 'Give a token with --token that clients must send, or listen on 127.0.0.1.',
  });
}

function cannotListen({ error, host, port }: { error: NodeJS.ErrnoException; host: string; port: number }) {
  return new LonghaulError({
    code: 'cannot-listen',
    message: `Cannot listen on ${host}:${port}: ${error.code === 'EADDRINUSE' ? 'the port is in use' : error.message}.`,
    hint: 'Choose another port with --port, or 0 for a free one.',
    cause: error,
  });
}
