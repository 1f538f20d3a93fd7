import type { ProviderDefinition } from './providers.ts';

/** The environment, as far as it concerns models. */
export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** What was found for a provider. */
export interface ProviderSettings {
  readonly baseUrl?: string;
  /** The variable that named the place. */
  readonly from?: string;
  readonly apiKey?: string;
  readonly authToken?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The variable that holds the key or the token, where one does. */
  readonly keyFrom?: string;
}

/** What the environment says of a provider; what the caller gives outweighs it. */
export function readSettings({
  provider,
  env,
  baseUrl,
  apiKey,
}: {
  readonly provider: ProviderDefinition;
  readonly env: EnvironmentVariables;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
}): ProviderSettings {
  const from = baseUrl === undefined ? firstSet(provider.urls, env) : undefined;
  const place = baseUrl ?? (from === undefined ? provider.baseUrl : env[from]);
  const keyed = firstSet(provider.keys, env);
  const key = apiKey ?? setTo(keyed, env);
  // With both set the key counts, as in Anthropic's SDK before it sends both.
  const borne = key === undefined ? firstSet(provider.tokens ?? [], env) : undefined;
  const token = setTo(borne, env);
  const keyFrom = apiKey === undefined ? (keyed ?? borne) : undefined;
  return {
    ...(place !== undefined && {
      baseUrl: provider.name === 'local' ? localUrl(place) : place.replace(/(?<!\/)\/+$/, ''),
    }),
    ...(from !== undefined && { from }),
    ...(key !== undefined && { apiKey: key }),
    ...(token !== undefined && { authToken: token }),
    headers: headersOf({ provider, env }),
    ...(keyFrom !== undefined && { keyFrom }),
  };
}

function headersOf({ provider, env }: { readonly provider: ProviderDefinition; readonly env: EnvironmentVariables }) {
  const named = Object.entries(provider.named ?? {}).flatMap(([name, from]) => {
    const value = setTo(from, env);
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(named), ...readHeaders(setTo(provider.headers, env)) };
}

/** Why a provider cannot be used; `undefined` where it can. A place of one's own may need no key. */
export function missingOf({
  provider,
  settings,
}: {
  readonly provider: ProviderDefinition;
  readonly settings: ProviderSettings;
}): string | undefined {
  if (settings.baseUrl === undefined) return `${provider.urls.join(' or ')} is not set.`;
  if (!/^https?:$/.test(URL.parse(settings.baseUrl)?.protocol ?? ''))
    return `${settings.from ?? 'The base URL'} is no address that begins with http:// or https://.`;
  const isOwn = settings.baseUrl !== provider.baseUrl;
  if (isOwn || settings.apiKey !== undefined || settings.authToken !== undefined) return undefined;
  return `${[...provider.keys, ...(provider.tokens ?? [])].join(' or ')} is not set.`;
}

/**
 * Where a local server listens, as an OpenAI-compatible base: `OLLAMA_HOST` may be a bare host, a port, or the address
 * that Ollama binds to, and Ollama's own base is not the compatible one.
 */
export function localUrl(value: string): string {
  const text = value.trim();
  const full = /^https?:\/\//i.test(text) ? text : `http://${text.startsWith(':') ? `127.0.0.1${text}` : text}`;
  const url = URL.parse(full);
  if (!url) return text;
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1';
  // A bare host says nothing of the port, and 80 is not where such servers listen.
  if (url.port === '' && url.protocol === 'http:' && !/^https?:/i.test(text)) url.port = '11434';
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  return `${url.origin}${path === '' ? '/v1' : path}`;
}

function firstSet(names: readonly string[], env: EnvironmentVariables): string | undefined {
  return names.find((name) => (env[name] ?? '').trim() !== '');
}

function setTo(name: string | undefined, env: EnvironmentVariables): string | undefined {
  return name === undefined ? undefined : env[name]?.trim();
}

/** Headers as the variables of the SDKs hold them: one `Name: value` a line. */
function readHeaders(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? '').split('\n').flatMap((line) => {
    const colon = line.indexOf(':');
    return colon > 0 ? [[line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const] : [];
  });
  return Object.fromEntries(pairs);
}
