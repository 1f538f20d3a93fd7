import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { GatewayOptions } from './options.ts';
import type { Route } from './route.ts';

/** A request as it is sent to a provider. */
interface UpstreamRequest {
  readonly route: Pick<Route, 'origin' | 'path'>;
  readonly method: string;
  /** Name and value in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | Readable | undefined;
  readonly signal: AbortSignal;
}

/** The response of a provider, before its body is read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly statusText: string;
  /** Name and value in turn, as received. */
  readonly headers: readonly string[];
  readonly body: Readable;
}

/** Sends requests to providers. */
export interface Upstream {
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  close(): Promise<void>;
}

/**
 * Connections to the providers: kept open between requests, through the proxy that the environment names.
 *
 * @example
 * const upstream = createUpstream({ env: process.env, idleTime: 600_000 });
 */
export function createUpstream({
  env,
  idleTime,
}: {
  readonly env: NonNullable<GatewayOptions['env']>;
  readonly idleTime: number;
}): Upstream {
  const dispatcher = createDispatcher({ env, idleTime });
  return {
    async send({ route, method, headers, body, signal }) {
      // Not as one address: a path would be written anew, and `..` in it would leave the path of the upstream.
      const response = await dispatcher.request({
        origin: route.origin,
        path: route.path,
        method: method as Dispatcher.HttpMethod,
        headers: [...headers],
        body: body ?? null,
        signal,
        responseHeaders: 'raw',
      });
      // With `raw` the headers are a flat list, which the declarations do not say.
      const raw = (response.headers as unknown as readonly (Buffer | string)[]).map(String);
      return { status: response.statusCode, statusText: response.statusText, headers: raw, body: response.body };
    },
    close: () => dispatcher.close(),
  };
}

function createDispatcher({ env, idleTime }: Parameters<typeof createUpstream>[0]): Dispatcher {
  const options: Agent.Options = { headersTimeout: idleTime, bodyTimeout: idleTime, connections: null };
  const value = (name: string) => env[name.toLowerCase()] ?? env[name];
  const [httpProxy, httpsProxy, noProxy] = [value('HTTP_PROXY'), value('HTTPS_PROXY'), value('NO_PROXY')];
  if (!httpProxy && !httpsProxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    ...(httpProxy && { httpProxy }),
    ...(httpsProxy && { httpsProxy }),
    ...(noProxy && { noProxy }),
  });
}
