import { randomUUID } from 'node:crypto';
import { LonghaulError } from '../../errors.ts';
import { isArray, isObject, parseJson } from '../../json.ts';
import type { Dialect, JsonObject } from '../../message/index.ts';
import type { Clock } from '../../time.ts';
import type { ModelEntry } from '../catalog/entry.ts';
import { type ModelInfo, modelInfo } from '../catalog/info.ts';
import type { RetryPolicy } from '../failure/retry.ts';
import type { Model } from '../model.ts';
import { textOf } from '../wire/bound-body.ts';
import { bounded, type Send, sendWith } from '../wire/bounded-fetch.ts';
import { type WireLimits, wireLimits } from '../wire/limits.ts';
import { createClient } from './client.ts';
import { anthropicBody, anthropicHeaders, createAnthropicDecoder } from './dialects/anthropic.ts';
import type { Decoder } from './dialects/decoder.ts';
import { createGeminiDecoder, geminiBody } from './dialects/gemini.ts';
import { chatBody, createChatDecoder } from './dialects/openai-chat.ts';
import { createResponsesDecoder, responsesBody } from './dialects/openai-responses.ts';
import type { BodyInput, HeadersOf, WriteBody } from './dialects/request-body.ts';
import { findLocal, type LocalModel, listLocal, nameOf, ollamaWindow } from './local.ts';
import { parseModelName } from './name.ts';
import { findProvider, type ProviderDefinition } from './providers.ts';
import { withRetry } from './retry.ts';
import { type EnvironmentVariables, missingOf, type ProviderSettings, readSettings } from './settings.ts';
import { createFetch } from './transport/fetch.ts';
import {
  anthropicTransport,
  type Connection,
  geminiTransport,
  openaiTransport,
  type Transport,
} from './transport/transport.ts';

export interface CreateModelOptions {
  /** `anthropic/claude-opus-5`, `local/qwen3-coder`, … (see `parseModelName`). */
  readonly name: string;
  /** Where keys and places are looked up. Default: the process's environment. */
  readonly env?: EnvironmentVariables;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is known of models beyond the tables, as `modelInfo` takes it. */
  readonly extra?: readonly ModelEntry[];
  /** Whether to ask the provider about a model that is not in the tables, and to reject a name that it does not confirm. */
  readonly verify?: boolean;
  /** How requests that may succeed later are repeated; `false` sends each request once, for callers with their own retry. */
  readonly retry?: RetryPolicy | false;
  readonly clock?: Pick<Clock, 'sleep'> & Partial<Clock>;
  readonly random?: () => number;
  readonly fetch?: typeof globalThis.fetch;
  /** Times and sizes in place of `wireLimits`. */
  readonly limits?: Partial<WireLimits>;
}

/**
 * A model by its name. Nothing is sent before the first `stream`, but to find or to ask a local server. It rejects with a
 * `LonghaulError` where the name or the settings do not suffice; what goes wrong later is an event of the stream.
 *
 * @example
 * const model = await createModel({ name: 'anthropic/claude-opus-5' });
 * const { message } = await collect(model.stream({ head: [], items, tools: [], options: {} }));
 */
export async function createModel(options: CreateModelOptions): Promise<Model> {
  const { env = process.env, extra, clock } = options;
  const parsed = parseModelName(options.name);
  const provider = providerOf(parsed.provider);
  const place = provider.name === 'local' ? 'local' : 'remote';
  const limits = { ...wireLimits[place], ...options.limits };
  const fetch = options.fetch
    ? bounded({ send: sendWith(options.fetch), limits })
    : createFetch({ place, env, limits });
  const { baseUrl, apiKey } = options;
  const found = readSettings({ provider, env, baseUrl, apiKey });
  const target = place === 'local' ? await locate({ settings: found, model: parsed.model, fetch, env }) : undefined;
  const settings = target?.settings ?? found;
  const missing = missingOf({ provider, settings });
  if (missing !== undefined || settings.baseUrl === undefined)
    throw notConfigured({ provider, settings, missing: missing ?? '' });
  const model = target?.model ?? parsed.model;
  const maker = target?.host ?? provider.maker ?? provider.name;
  const known = extra ?? target?.extra;
  const info = modelInfo({ provider: maker, name: model, ...(known && { extra: known }) });
  if (options.verify && !info.known && place === 'remote') await verifyModel({ provider, settings, model, fetch });
  const dialect = dialectOf({ provider, info, settings });
  const { writeBody, headersOf, createDecoder, transport } = dialectClients[dialect];
  const headers = { ...settings.headers, ...options.headers };
  const connection = { ...settings, baseUrl: settings.baseUrl, headers, fetch };
  const client = createClient({
    id: { provider: provider.maker ?? provider.name, name: model },
    dialect,
    info,
    writeBody,
    headersOf,
    createDecoder,
    limits,
    transport: transport({ connection, model }),
    secrets: secretsOf({ settings, headers }),
    now: () => clock?.now?.() ?? Date.now(),
  });
  const { retry: policy } = options;
  if (policy === false) return client;
  return withRetry(client, {
    ...(policy && { policy }),
    ...(clock && { clock }),
    ...(options.random && { random: options.random }),
  });
}

/** Short values of headers are no secrets, and masking them would make failures unreadable. */
function secretsOf({
  settings,
  headers = {},
}: {
  readonly settings: ProviderSettings;
  readonly headers: CreateModelOptions['headers'];
}): readonly string[] {
  const long = Object.values(headers).filter((value) => value.length >= 8);
  return [settings.apiKey, settings.authToken, ...long].filter((value) => value !== undefined);
}

function providerOf(name: string): ProviderDefinition {
  const provider = findProvider(name);
  if (!provider) throw new RangeError(`No provider is called ${name}.`);
  return provider;
}

/** The tables come first. An unknown model at a custom address is assumed to be a server compatible with Chat. */
function dialectOf({
  provider: { dialects, baseUrl },
  info,
  settings,
}: {
  readonly provider: ProviderDefinition;
  readonly info: ModelInfo;
  readonly settings: ProviderSettings;
}): Dialect {
  const isOther = !info.known && settings.baseUrl !== baseUrl;
  const said = isOther ? dialects.at(-1) : info.dialects.find((each) => dialects.includes(each));
  return said ?? dialects[0] ?? 'openai-chat';
}

function notConfigured({
  provider,
  settings: { baseUrl, from },
  missing,
}: {
  readonly provider: ProviderDefinition;
  readonly settings: ProviderSettings;
  readonly missing: string;
}): LonghaulError {
  const isOwn = baseUrl !== undefined && baseUrl !== provider.baseUrl;
  const start = 'Start Ollama, llama.cpp, LM Studio or vLLM, or set LONGHAUL_LOCAL_URL.';
  const key = `Set ${provider.keys[0]}, or use another model (local/MODEL needs no key).`;
  const place = `Give ${from ?? 'the base URL'} as https://HOST/PATH.`;
  return new LonghaulError({
    code: 'model-not-configured',
    message: `${provider.name} cannot be used: ${missing}`,
    hint: isOwn ? place : provider.name === 'local' ? start : key,
  });
}

/** A model on a server of one's own. */
interface Located {
  readonly settings: ProviderSettings & { readonly baseUrl: string };
  readonly model: string;
  /** Whose rules hold, in the tables. */
  readonly host: string;
  /** What the server says of the model. */
  readonly extra?: readonly ModelEntry[];
}

interface LocateInput {
  readonly settings: ProviderSettings;
  readonly model: string;
  readonly fetch: Send;
  readonly env: EnvironmentVariables;
}

/** A local server and one of its models: the named place, else the first of the usual ones that has it. */
async function locate(asked: LocateInput): Promise<Located | undefined> {
  const { settings, model, fetch } = asked;
  const { baseUrl, apiKey } = settings;
  if (baseUrl !== undefined) {
    const models = (await listLocal({ url: baseUrl, fetch, apiKey })) ?? [];
    return located({ asked, url: baseUrl, models, host: nameOf(baseUrl) });
  }
  const servers = await findLocal({ fetch });
  const server = servers.find(({ models }) => models.some(({ name }) => name === model)) ?? servers[0];
  return server && located({ asked, url: server.url, models: server.models, host: server.name });
}

async function located({
  asked: { settings, model, fetch, env },
  url,
  models,
  host,
}: {
  readonly asked: LocateInput;
  readonly url: string;
  readonly models: readonly LocalModel[];
  readonly host: string;
}): Promise<Located> {
  const name = model === '' ? models[0]?.name : model;
  if (name === undefined)
    throw new LonghaulError({
      code: 'model-name',
      message: `The server at ${url} lists no model.`,
      hint: 'Load a model there, or name one as local/MODEL.',
    });
  const configured = Number(env.OLLAMA_CONTEXT_LENGTH) || undefined;
  const ollama = host === 'ollama' ? ((await ollamaWindow({ url, model: name, fetch })) ?? configured) : undefined;
  const window = models.find((each) => each.name === name)?.window ?? ollama;
  const extra = window === undefined ? undefined : [{ match: [name], window, maxOutput: Math.ceil(window / 4) }];
  return { settings: { ...settings, baseUrl: url }, model: name, host, ...(extra && { extra }) };
}

/** One dialect on the wire. */
interface DialectClient {
  readonly writeBody: WriteBody;
  /** What must stand in the headers for the sake of the body. */
  readonly headersOf?: HeadersOf;
  readonly createDecoder: () => Decoder;
  transport(input: { readonly connection: Connection; readonly model: string }): Transport;
}

/** An id for a call that its server did not name. */
const newId = () => `call_${randomUUID().replaceAll('-', '')}`;

export const dialectClients: Readonly<Record<Dialect, DialectClient>> = {
  anthropic: {
    writeBody: anthropicBody,
    headersOf: anthropicHeaders,
    createDecoder: createAnthropicDecoder,
    transport: ({ connection }) => anthropicTransport({ connection }),
  },
  'openai-chat': {
    writeBody: chatBody,
    createDecoder: () => createChatDecoder({ newId }),
    transport: ({ connection }) => openaiTransport({ connection, path: '/chat/completions' }),
  },
  'openai-responses': {
    writeBody: responsesBody,
    createDecoder: createResponsesDecoder,
    transport: ({ connection }) => openaiTransport({ connection, path: '/responses' }),
  },
  gemini: {
    writeBody: geminiBody,
    createDecoder: () => createGeminiDecoder({ newId }),
    transport: geminiTransport,
  },
};

/**
 * Reads the events of a streamed answer in a dialect, for code that relays a stream and keeps its answer.
 *
 * @example
 * const decoder = createAnswerDecoder({ dialect: 'anthropic' });
 * decoder.read({ type: 'message_stop' });
 * const answer = decoder.message();
 */
export function createAnswerDecoder({ dialect }: { readonly dialect: Dialect }): Decoder {
  return dialectClients[dialect].createDecoder();
}

/**
 * The JSON that a client sends, without sending it: head, items, tools and options in a dialect's words.
 *
 * @example
 * const body = requestBody({ dialect: model.dialect, model: model.id.name, info: model.info, request });
 */
export function requestBody({ dialect, ...input }: BodyInput & { readonly dialect: Dialect }): JsonObject {
  return dialectClients[dialect].writeBody(input);
}

/** Milliseconds to wait for the provider. */
const verificationTimeout = 10_000;

/**
 * Asks a provider whether it has a model that is not in the tables, and throws a `LonghaulError` unless it confirms. At
 * another address than the provider's own the name is accepted if the server cannot say.
 *
 * @example
 * await verifyModel({ provider, settings, model: 'claude-opus-9', fetch });
 */
async function verifyModel({
  provider,
  settings,
  model,
  fetch,
}: {
  readonly provider: ProviderDefinition;
  readonly settings: ProviderSettings;
  readonly model: string;
  readonly fetch: Send;
}): Promise<void> {
  const { baseUrl = '' } = settings;
  const answer = await askProvider({ provider, settings, model, fetch });
  if (answer === true || (answer !== false && baseUrl !== provider.baseUrl)) return;
  const why = answer === false ? `${provider.name} does not have it` : `${provider.name} did not confirm it: ${answer}`;
  throw new LonghaulError({
    code: 'model-unknown',
    message: `Unknown model '${provider.name}/${model}': it is not in the tables, and ${why}.`,
    hint: 'Run `longhaul models` to list the known models.',
  });
}

/** Whether the provider has the model, or why it cannot be said. */
async function askProvider(of: Parameters<typeof verifyModel>[0]): Promise<boolean | string> {
  const { provider, settings, model, fetch } = of;
  const { baseUrl = '', apiKey, authToken, headers } = settings;
  const id = encodeURIComponent(model);
  const [url, own] = requestFor();
  try {
    const response = await fetch(url, {
      headers: { ...headers, ...own },
      signal: AbortSignal.timeout(verificationTimeout),
    });
    const text = await textOf(response.reader);
    if (provider.name === 'openrouter' && response.ok) return isListed(text);
    if (response.ok) return true;
    // An address of the user may not have this path at all.
    return response.status === 404 && baseUrl === provider.baseUrl ? false : `status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }

  function requestFor(): readonly [string, Record<string, string>] {
    const bearer = { authorization: `Bearer ${apiKey ?? authToken ?? 'none'}` };
    switch (provider.name) {
      case 'anthropic':
        return [
          `${baseUrl.replace(/\/v1$/, '')}/v1/models/${id}`,
          { 'anthropic-version': '2023-06-01', ...(apiKey === undefined ? bearer : { 'x-api-key': apiKey }) },
        ];
      case 'google':
        return [
          `${/\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`}/models/${id.replace(/^models%2F/, '')}`,
          apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
        ];
      case 'openrouter':
        return [`${baseUrl}/models`, bearer];
      default:
        return [`${baseUrl}/models/${id}`, bearer];
    }
  }

  function isListed(text: string): boolean {
    const body = parseJson(text);
    const listed = isObject(body) && isArray(body.data) ? body.data.filter(isObject) : [];
    return listed.some((entry) => entry.id === model.replace(/:\w+$/, '') || entry.id === model);
  }
}
