import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GatewayFailure } from '../errors.ts';

/** The header in which clients send the token of the gateway. It is never forwarded. */
export const tokenHeader = 'x-longhaul-token';

const tokenPrefix = /^\/t\/([^/?]+)(?=\/|\?|$)/;

/** A request that may pass, or why it may not. */
export type Admission = { readonly path: string; readonly hasToken: boolean } | { readonly refused: GatewayFailure };

/**
 * Checks where a request comes from. A page in a browser must not reach the gateway under a name of its own (DNS
 * rebinding) or from another origin, and an absolute URL would make it an open proxy.
 *
 * @example
 * const admission = admit({ url: '/v1/messages', headers: { host: 'evil.example' }, rawHeaders: ['host', 'evil.example'], isLoopback: true });
 */
export function admit({
  url,
  headers,
  rawHeaders,
  isLoopback,
  token,
}: {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Name and value in turn. */
  readonly rawHeaders: readonly string[];
  /** Whether the gateway listens on this machine only. */
  readonly isLoopback: boolean;
  /** The token that clients must send; absent where none was configured. */
  readonly token?: string | undefined;
}): Admission {
  if (!url.startsWith('/')) return refused(400, 'no-open-proxy', 'The gateway forwards only to its own upstreams.');
  // RFC 9112, 3.2. Of two, another program in between could use the one that was not checked.
  if (rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length !== 1)
    return refused(400, 'bad-host', 'A request must have exactly one Host header.');
  if (isLoopback && !isLoopbackName(hostnameIn(headers.host ?? '')))
    return refused(403, 'bad-host', 'The Host header is not a loopback address. Use http://127.0.0.1.');
  const { origin } = headers;
  if (origin !== undefined && !isAllowedOrigin({ origin, host: headers.host, isLoopback }))
    return refused(403, 'bad-origin', 'Requests from web pages of other origins are refused.');
  const prefix = tokenPrefix.exec(url);
  const given = single(headers[tokenHeader]) ?? (prefix?.[1] === undefined ? undefined : decode(prefix[1]));
  const path = prefix ? url.slice(prefix[0].length) || '/' : url;
  const hasToken = token !== undefined && given !== undefined && isSameSecret(given, token);
  return { path, hasToken };
}

/** Whether a host is reachable from this machine only. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || /^127(?:\.\d{1,3}){3}$/.test(name);
}

/** Compares without telling by its duration how much was right. */
function isSameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isAllowedOrigin({
  origin,
  host,
  isLoopback,
}: {
  readonly origin: string;
  readonly host: string | undefined;
  readonly isLoopback: boolean;
}): boolean {
  const url = URL.parse(origin);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return isLoopback ? isLoopbackName(hostnameIn(url.host)) : url.host === host;
}

function hostnameIn(host: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return (bracketed ?? plain ?? '').toLowerCase();
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refused(status: number, code: string, message: string): Admission {
  return { refused: { status, code, message } };
}
