import { LonghaulError } from '../../../errors.ts';
import type { WireLimits } from '../../wire/limits.ts';
import { unset } from './headers.ts';

/** Sends a request body unchanged and resolves with the response as soon as its headers have arrived. */
export type Transport = (input: {
  /** The body as JSON. */
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}) => Promise<Response>;

/** Address and credentials of a provider. */
export interface Connection {
  readonly baseUrl: string;
  readonly apiKey?: string | undefined;
  /** Anthropic: sent as `Authorization: Bearer` instead of a key. */
  readonly authToken?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch: typeof fetch;
  readonly limits: WireLimits;
}

/** The SDK's own timeout fires this many milliseconds after ours: it looks like an abort, ours is a typed failure. */
const sdkTimeoutMargin = 60_000;

/** The part of an official SDK that is used: headers, authentication, errors. */
interface Sdk {
  post(
    path: string,
    options: {
      readonly body: string;
      readonly headers: Record<string, string>;
      readonly signal: AbortSignal;
      readonly stream: true;
    },
  ): { asResponse(): Promise<Response> };
}

/** Uses Anthropic's SDK. */
export function anthropicTransport({
  connection,
  load = () => import('@anthropic-ai/sdk'),
}: {
  readonly connection: Connection;
  readonly load?: () => Promise<typeof import('@anthropic-ai/sdk')>;
}): Transport {
  const { baseUrl, apiKey, authToken, headers, fetch, limits } = connection;
  return sdkTransport({
    path: '/v1/messages',
    headers,
    async connect() {
      const { default: Anthropic } = await loadSdk({ name: '@anthropic-ai/sdk', load });
      return new Anthropic({
        // Other SDKs expect the version in the base URL, so users often include it.
        baseURL: baseUrl.replace(/\/v1$/, ''),
        // A gateway may need no key, but the SDK requires one and must not read it from the environment.
        apiKey: apiKey ?? (authToken === undefined ? 'none' : null),
        authToken: authToken ?? null,
        defaultHeaders: unset(process.env.ANTHROPIC_CUSTOM_HEADERS),
        fetch,
        timeout: limits.headMs + sdkTimeoutMargin,
        maxRetries: 0,
        logLevel: 'off',
      });
    },
  });
}

/** Uses OpenAI's SDK, for OpenAI and for every compatible server. */
export function openaiTransport({
  connection,
  path,
  load = () => import('openai'),
}: {
  readonly connection: Connection;
  readonly path: '/chat/completions' | '/responses';
  readonly load?: () => Promise<typeof import('openai')>;
}): Transport {
  const { baseUrl, apiKey, headers, fetch, limits } = connection;
  return sdkTransport({
    path,
    headers,
    async connect() {
      const { default: OpenAI } = await loadSdk({ name: 'openai', load });
      return new OpenAI({
        baseURL: baseUrl,
        // Local servers need no key, but the SDK requires one.
        apiKey: apiKey ?? 'none',
        organization: null,
        project: null,
        adminAPIKey: null,
        defaultHeaders: unset(process.env.OPENAI_CUSTOM_HEADERS),
        fetch,
        timeout: limits.headMs + sdkTimeoutMargin,
        maxRetries: 0,
        logLevel: 'off',
      });
    },
  });
}

/** Uses plain fetch, because Google's SDK rewrites bodies. The key is sent in a header, never in the URL. */
export function geminiTransport({
  connection,
  model,
}: {
  readonly connection: Connection;
  readonly model: string;
}): Transport {
  const { baseUrl, apiKey, headers, fetch } = connection;
  const base = /\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`;
  const name = encodeURIComponent(model.replace(/^models\//, ''));
  const url = `${base}/models/${name}:streamGenerateContent?alt=sse`;
  return ({ text, headers: more, signal }) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'text/event-stream',
        ...(apiKey !== undefined && { 'x-goog-api-key': apiKey }),
        ...headers,
        ...more,
      },
      body: text,
      signal,
    });
}

/** Sends through an SDK that is created on first use. A body given as text with its content type is sent unchanged. */
function sdkTransport({
  path,
  headers,
  connect,
}: {
  readonly path: string;
  /** Sent with every request; `anthropic-beta` is joined with the value of the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly connect: () => Promise<Sdk>;
}): Transport {
  const always = Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  let sdk: Promise<Sdk> | undefined;
  return async ({ text, headers: more, signal }) => {
    sdk ??= connect();
    const beta = [always['anthropic-beta'], more['anthropic-beta']].filter((value) => value !== undefined).join(',');
    const sent = {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...always,
      ...more,
      ...(beta !== '' && { 'anthropic-beta': beta }),
    };
    return (await sdk).post(path, { body: text, headers: sent, signal, stream: true }).asResponse();
  };
}

/** Loads an official SDK, which is an optional peer dependency. */
async function loadSdk<Loaded>({
  name,
  load,
}: {
  readonly name: string;
  readonly load: () => Promise<Loaded>;
}): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    throw new LonghaulError({
      code: 'sdk-missing',
      message: `The package ${name} is not installed: npm i ${name}`,
      hint: `Run npm i ${name}.`,
      cause,
    });
  }
}
