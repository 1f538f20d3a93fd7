import { LonghaulError } from 'longhaul';
import type { Dialect } from 'longhaul/message';

/** What a request asks for, where the gateway knows its route. */
type RouteAction = 'generate' | 'count' | 'compact';

/** Where a request goes, and what it is. */
export interface Route {
  /** The upstream by its configured name. */
  readonly upstream: string;
  /** Scheme, host and port to send it to. */
  readonly origin: string;
  /** Path and query to send it to. */
  readonly path: string;
  /** Absent for routes that are passed through. */
  readonly known?: KnownRoute;
  /** The dialect in which errors of the gateway are written. */
  readonly dialect: Dialect | undefined;
}

/** A route that carries a conversation. */
export interface KnownRoute {
  readonly dialect: Dialect;
  readonly action: RouteAction;
  /** The model, where the path names it. */
  readonly model?: string;
}

type Matcher = readonly [RegExp, (match: RegExpExecArray) => KnownRoute];

const matchers: readonly Matcher[] = [
  [/^(?:\/v1)?\/messages$/, () => ({ dialect: 'anthropic', action: 'generate' })],
  [/^(?:\/v1)?\/messages\/count_tokens$/, () => ({ dialect: 'anthropic', action: 'count' })],
  [/^(?:\/v1)?\/chat\/completions$/, () => ({ dialect: 'openai-chat', action: 'generate' })],
  [/^(?:\/v1)?\/responses$/, () => ({ dialect: 'openai-responses', action: 'generate' })],
  [/^(?:\/v1)?\/responses\/compact$/, () => ({ dialect: 'openai-responses', action: 'compact' })],
  [/^(?:\/v1)?\/responses\/input_tokens$/, () => ({ dialect: 'openai-responses', action: 'count' })],
  [
    /^(?:\/v1(?:beta|alpha)?)?\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/,
    ([, model = '', verb]) => ({
      dialect: 'gemini',
      action: verb === 'countTokens' ? 'count' : 'generate',
      model: decodeURIComponent(model),
    }),
  ],
];

const upstreamOf: Readonly<Record<Dialect, string>> = {
  anthropic: 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  gemini: 'gemini',
};

/**
 * Where a request goes. `/NAME/…` selects an upstream by name; otherwise the path decides, and for paths that several
 * providers have (`/v1/models`) the header in which the key is sent.
 *
 * @example
 * routeOf({ path: '/v1/messages?beta=true', method: 'POST', headers: {}, upstreams }).known?.dialect; // 'anthropic'
 */
export function routeOf({
  path,
  method,
  headers,
  upstreams,
}: {
  /** Path and query, as received. */
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly upstreams: ReadonlyMap<string, URL>;
}): Route {
  const queryAt = path.indexOf('?');
  const pathname = queryAt < 0 ? path : path.slice(0, queryAt);
  const query = queryAt < 0 ? '' : path.slice(queryAt);
  const named = namedUpstream({ pathname, upstreams });
  const rest = named?.rest ?? pathname;
  const known = method === 'POST' ? matchRoute(rest) : undefined;
  const upstream = named?.name ?? (known ? upstreamOf[known.dialect] : guessUpstream({ pathname, headers }));
  const base = upstreams.get(upstream);
  if (!base) throw unknownUpstream(upstream);
  const dialect = known?.dialect ?? matchRoute(rest)?.dialect ?? dialectOf(upstream);
  const target = joinPath({ base, path: rest }) + query;
  return { upstream, origin: base.origin, path: target, ...(known && { known }), dialect };
}

function matchRoute(pathname: string): KnownRoute | undefined {
  for (const [pattern, read] of matchers) {
    const match = pattern.exec(pathname);
    if (match) return read(match);
  }
  return undefined;
}

/** `/openai/deployments/…` is Azure's own path and not a prefix. */
function namedUpstream({ pathname, upstreams }: { pathname: string; upstreams: ReadonlyMap<string, URL> }) {
  const [, name = '', rest = ''] = /^\/([\w.-]+)(\/.*)$/.exec(pathname) ?? [];
  if (!upstreams.has(name) || rest.startsWith('/deployments/')) return undefined;
  return { name, rest };
}

function guessUpstream({ pathname, headers }: { pathname: string; headers: Parameters<typeof routeOf>[0]['headers'] }) {
  if (headers['anthropic-version'] !== undefined || headers['x-api-key'] !== undefined) return 'anthropic';
  if (headers['x-goog-api-key'] !== undefined || /^\/v1(beta|alpha)\//.test(pathname)) return 'gemini';
  return 'openai';
}

function dialectOf(upstream: string): Dialect | undefined {
  if (upstream === 'anthropic' || upstream === 'gemini') return upstream;
  return upstream === 'openai' ? 'openai-chat' : undefined;
}

/** A base URL with a version (`…/api/v1`) and a path with the same one (`/v1/messages`) have it once. */
function joinPath({ base, path }: { base: URL; path: string }): string {
  const prefix = base.pathname.endsWith('/') ? base.pathname.slice(0, -1) : base.pathname;
  const version = /\/v1(?:beta|alpha)?$/.exec(prefix)?.[0];
  const isTwice = version !== undefined && (path === version || path.startsWith(`${version}/`));
  return prefix + (isTwice ? path.slice(version.length) : path);
}

function unknownUpstream(name: string): LonghaulError {
  return new LonghaulError({
    code: 'unknown-upstream',
    message: `No upstream named "${name}" is configured for this request.`,
    hint: `Start the gateway with --upstream ${name}=URL.`,
  });
}

/**
 * Checks the configured base URLs.
 *
 * @throws LonghaulError `bad-upstream` for what is no HTTP address, or has credentials in it.
 */
export function readUpstreams(named: Readonly<Record<string, string>>): ReadonlyMap<string, URL> {
  return new Map(
    Object.entries(named).map(([name, written]) => {
      const url = URL.parse(written);
      const isUsable = url && /^https?:$/.test(url.protocol) && !url.username && !url.password;
      if (!/^[\w.-]+$/.test(name) || name === 'longhaul' || name === 't' || !isUsable)
        throw new LonghaulError({
          code: 'bad-upstream',
          message: `The upstream ${name}=${url ? url.origin : JSON.stringify(written)} cannot be used.`,
          hint: 'Give it as NAME=URL: a name of letters, digits, dot and dash, and an address with http:// or https:// and without credentials.',
        });
      return [name, url] as const;
    }),
  );
}
