import type { Answer, Send } from '../../wire/bounded-fetch.ts';

/** Sends a request body unchanged and resolves with the response as soon as its headers have arrived. */
export type Transport = (input: {
  /** The body as JSON. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}) => Promise<Answer>;

/** Address and credentials of a provider. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Anthropic: sent as `Authorization: Bearer` instead of a key. */
  readonly authToken?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: Send;
}

/** The version of Anthropic's API that the codec writes. */
const anthropicVersion = '2023-06-01';

export function anthropicTransport({ connection }: { readonly connection: Connection }): Transport {
  const { baseUrl, apiKey, authToken } = connection;
  return transportTo({
    connection,
    // Base URLs of other providers include the version, so users often include it here.
    url: `${withoutSlash(baseUrl).replace(/\/v1$/, '')}/v1/messages`,
    credentials: {
      'anthropic-version': anthropicVersion,
      ...(apiKey !== undefined && { 'x-api-key': apiKey }),
      ...(authToken !== undefined && { authorization: `Bearer ${authToken}` }),
    },
  });
}

/** For OpenAI and for every compatible server; local ones need no key. */
export function openaiTransport({
  connection,
  path,
}: {
  readonly connection: Connection;
  readonly path: '/chat/completions' | '/responses';
}): Transport {
  const { baseUrl, apiKey } = connection;
  return transportTo({
    connection,
    url: `${withoutSlash(baseUrl)}${path}`,
    credentials: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  });
}

/** The key is sent in a header, never in the URL. */
export function geminiTransport({
  connection,
  model,
}: {
  readonly connection: Connection;
  readonly model: string;
}): Transport {
  const { baseUrl, apiKey } = connection;
  const base = withoutSlash(baseUrl);
  const name = encodeURIComponent(model.replace(/^models\//, ''));
  return transportTo({
    connection,
    url: `${/\/v\d\w*$/.test(base) ? base : `${base}/v1beta`}/models/${name}:streamGenerateContent?alt=sse`,
    credentials: apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
  });
}

function transportTo({
  connection: { headers, fetch },
  url,
  credentials,
}: {
  readonly connection: Connection;
  readonly url: string;
  readonly credentials: Readonly<Record<string, string>>;
}): Transport {
  const always = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return ({ text, headers: more, signal }) => {
    const betas = [always['anthropic-beta'], more['anthropic-beta']].filter((value) => value !== undefined);
    return fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...credentials,
        ...always,
        ...more,
        ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
      },
      body: text,
      signal,
    });
  };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
