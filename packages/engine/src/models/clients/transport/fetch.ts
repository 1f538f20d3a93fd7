import type { Agent, IncomingMessage } from 'node:http';
import { type Answer, answerOf, bounded, type Send } from '../../wire/bounded-fetch.ts';
import { type WireLimits, wireLimits } from '../../wire/limits.ts';
import type { EnvironmentVariables } from '../settings.ts';

/**
 * A bounded `fetch` with its own connections, since those of Node's `fetch` give up after five minutes. Remote services are
 * reached through the proxy that the environment names, servers on this machine never are. Direct connections use
 * `node:http`: `fetch` and undici take longer to load than everything else before the first request.
 */
export function createFetch({
  place,
  env = {},
  limits = wireLimits[place],
}: {
  readonly place: keyof typeof wireLimits;
  readonly env?: EnvironmentVariables;
  readonly limits?: WireLimits;
}): Send {
  const proxies = place === 'local' ? undefined : proxiesOf(env);
  return bounded({ send: proxies ? throughProxy({ proxies, limits }) : direct(), limits });
}

/** Sends with `node:http` and `node:https`, over connections that are kept open. */
function direct(): Send {
  const agents = new Map<string, Agent>();
  return async (url, { method = 'GET', headers = {}, body, signal } = {}) => {
    const { protocol } = new URL(url);
    // Not `import`: it would evaluate what these modules load lazily, WebSocket and `fetch` among it.
    const { Agent, request } = process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
    const agent = agents.get(protocol) ?? new Agent({ keepAlive: true });
    agents.set(protocol, agent);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const sent = request(url, {
      method,
      agent,
      // Text is small, and a compressed stream of events arrives late.
      headers: { 'user-agent': 'longhaul', 'accept-encoding': 'identity', ...headers },
      signal,
    });
    sent.once('response', (response) => resolve(answerFrom(response)));
    // After the response has begun, the error is one of its body.
    sent.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    sent.end(body);
    return await promise;
  };
}

function answerFrom(response: IncomingMessage): Answer {
  const status = response.statusCode ?? 0;
  const get = (name: string) => {
    const value = response.headers[name.toLowerCase()];
    return value === undefined ? null : [value].flat().join(', ');
  };
  const pieces = bodyOf({ response, encoding: get('content-encoding') });
  return {
    status,
    ok: status >= 200 && status < 300,
    statusText: response.statusMessage ?? '',
    headers: { get },
    reader: {
      async read() {
        const { done = false, value } = await pieces.next();
        return { done, value };
      },
      async cancel() {
        response.destroy();
      },
    },
  };
}

/** The bytes of a response; some servers compress what was to be sent plain. */
async function* bodyOf({
  response,
  encoding,
}: {
  readonly response: IncomingMessage;
  readonly encoding: string | null;
}): AsyncGenerator<Uint8Array, undefined> {
  if (encoding === null || encoding === 'identity') {
    yield* response;
    return;
  }
  const zlib = await import('node:zlib');
  const decoders: Readonly<Record<string, (() => NodeJS.ReadWriteStream) | undefined>> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
    zstd: zlib.createZstdDecompress,
  };
  const decoder = decoders[encoding.toLowerCase()]?.();
  if (!decoder) throw new Error(`The endpoint answered with an unknown content encoding: ${encoding.slice(0, 40)}.`);
  const { pipeline } = await import('node:stream');
  pipeline(response, decoder, () => undefined);
  for await (const bytes of decoder) if (typeof bytes !== 'string') yield bytes;
}

interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

function throughProxy({ proxies, limits }: { readonly proxies: Proxies; readonly limits: WireLimits }): Send {
  let opened: Promise<Send> | undefined;
  const open = async (): Promise<Send> => {
    const { EnvHttpProxyAgent, fetch } = await import('undici');
    const dispatcher = new EnvHttpProxyAgent({
      headersTimeout: limits.headMs,
      bodyTimeout: limits.idleMs,
      ...proxies,
    });
    // Two declarations of one standard: the types differ, the values do not.
    return async (url, init) =>
      answerOf((await fetch(url, { ...init, redirect: 'manual', dispatcher })) as unknown as Response);
  };
  return async (url, init) => {
    opened ??= open();
    return await (await opened)(url, init);
  };
}

/** The agent reads the process's own environment for what it is not given, so it is given all or not used. */
function proxiesOf(env: EnvironmentVariables): Proxies | undefined {
  const of = (name: string) => env[name] ?? env[name.toUpperCase()] ?? '';
  const [httpProxy, httpsProxy, noProxy] = [of('http_proxy'), of('https_proxy'), of('no_proxy')];
  return httpProxy === '' && httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy };
}
