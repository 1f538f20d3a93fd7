import type { IncomingHttpHeaders } from 'node:http';
import type { Dialect } from '../judge/index.ts';

const secretHeaders = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'api-key', 'cookie']);

/** The key that a request brings, in the header(s) of its dialect. */
export function keyOf({
  dialect,
  headers,
  url,
}: {
  dialect: Dialect;
  headers: IncomingHttpHeaders;
  url: URL;
}): string | undefined {
  const bearer = headers.authorization?.startsWith('Bearer ') ? headers.authorization.slice(7) : undefined;
  if (dialect === 'gemini') return single(headers['x-goog-api-key']) ?? url.searchParams.get('key') ?? undefined;
  if (dialect === 'anthropic') return single(headers['x-api-key']) ?? bearer;
  return bearer;
}

/** Headers as they may be kept: keys are replaced, so that a recording can be shown and stored. */
export function maskHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    masked[name] = secretHeaders.has(name) ? '***' : Array.isArray(value) ? value.join(', ') : value;
  }
  return masked;
}

/** The path with its query, without the key that Gemini clients may put there. */
export function maskPath(url: URL): string {
  const copy = new URL(url);
  if (copy.searchParams.has('key')) copy.searchParams.set('key', '***');
  return `${copy.pathname}${copy.search}`;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
