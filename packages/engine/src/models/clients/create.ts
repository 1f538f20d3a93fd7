import { LonghaulError } from '../../errors.ts';
import type { Dialect } from '../../message/index.ts';
import type { ModelEntry } from '../catalogue/entry.ts';
import { modelInfo } from '../catalogue/info.ts';
import type { RetryPolicy } from '../failure/retry.ts';
import type { Model } from '../model.ts';
import { createFetch, patience } from './carry/transport.ts';
import { createClient } from './client.ts';
import { spoken } from './dialects.ts';
import { findLocal, type LocalModel, listLocal, nameOf } from './local.ts';
import { parseModelName } from './name.ts';
import { findProvider, type Provider } from './providers.ts';
import { type RetryClock, withRetry } from './retry.ts';
import { type Environment, missingOf, readSettings, type Settings } from './settings.ts';

export interface CreateModelOptions {
  /** `anthropic/claude-opus-5`, `local/qwen3-coder`, … (see `parseModelName`). */
  readonly name: string;
  /** Where keys and places are looked up. Default: the process's environment. */
  readonly env?: Environment;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What is known of models beyond the tables, as `modelInfo` takes it. */
  readonly extra?: readonly ModelEntry[];
  /** Repeat what may succeed later. Without it each request is sent once. */
  readonly retry?: RetryPolicy | 'usual';
  readonly clock?: RetryClock;
  readonly random?: () => number;
  readonly fetch?: typeof globalThis.fetch;
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
  const { env = process.env, extra, headers, clock } = options;
  const parsed = parseModelName(options.name);
  const provider = providerOf(parsed.provider);
  const place = provider.name === 'local' ? 'local' : 'remote';
  const fetch = options.fetch ?? createFetch({ place });
  const { baseUrl, apiKey } = options;
  const found = readSettings({ provider, env, baseUrl, apiKey });
  const target = place === 'local' ? await locate({ settings: found, model: parsed.model, fetch }) : undefined;
  const settings = target?.settings ?? found;
  const missing = missingOf({ provider, settings });
  if (missing !== undefined || settings.baseUrl === undefined)
    throw notConfigured({ provider, missing: missing ?? '' });
  const model = target?.model ?? parsed.model;
  const maker = target?.host ?? provider.maker ?? provider.name;
  const known = extra ?? target?.extra;
  const info = modelInfo({ provider: maker, name: model, ...(known && { extra: known }) });
  const dialect = info.dialects.find((each) => provider.dialects.includes(each)) ?? firstOf(provider);
  const { writeBody, createDecoder, carry } = spoken[dialect];
  const connection = { ...settings, baseUrl: settings.baseUrl, headers, fetch, patience: patience[place].head };
  const client = createClient({
    ...{ id: { provider: provider.maker ?? provider.name, name: model }, dialect, info, writeBody, createDecoder },
    carry: carry({ connection, model }),
    secrets: [settings.apiKey, settings.authToken, ...Object.values(headers ?? {})].filter(
      (value) => !!value,
    ) as string[],
    now: () => clock?.now?.() ?? Date.now(),
  });
  if (options.retry === undefined) return client;
  const policy = options.retry === 'usual' ? undefined : options.retry;
  return withRetry(client, {
    ...(policy && { policy }),
    ...(clock && { clock }),
    ...(options.random && { random: options.random }),
  });
}

interface Located {
  readonly settings: Settings;
  readonly model: string;
  readonly host: string;
  readonly extra?: readonly ModelEntry[];
}

/** A local server and one of its models: the named place, else the first of the usual ones that has it. */
async function locate({
  settings,
  model,
  fetch,
}: {
  readonly settings: Settings;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
}): Promise<Located | undefined> {
  if (settings.baseUrl !== undefined) {
    const models = (await listLocal({ url: settings.baseUrl, fetch, apiKey: settings.apiKey })) ?? [];
    return located({ settings, models, model, host: nameOf(settings.baseUrl) });
  }
  const servers = await findLocal({ fetch });
  const server = servers.find(({ models }) => models.some(({ name }) => name === model)) ?? servers[0];
  if (!server) return undefined;
  return located({ settings: { ...settings, baseUrl: server.url }, models: server.models, model, host: server.name });
}

function located(input: Omit<Located, 'extra'> & { readonly models: readonly LocalModel[] }): Located {
  const { settings, models, host } = input;
  const name = input.model === '' ? models[0]?.name : input.model;
  if (name === undefined)
    throw new LonghaulError({
      code: 'model-name',
      cause: `The server at ${settings.baseUrl} lists no model.`,
      next: 'Load a model there, or name one as local/MODEL.',
    });
  const window = models.find((each) => each.name === name)?.window;
  const extra = window === undefined ? undefined : [{ match: [name], window, maxOutput: Math.ceil(window / 4) }];
  return { settings, model: name, host, ...(extra && { extra }) };
}

function providerOf(name: string): Provider {
  const provider = findProvider(name);
  if (!provider) throw new RangeError(`No provider is called ${name}.`);
  return provider;
}

function firstOf({ dialects }: Provider): Dialect {
  return dialects[0] ?? 'openai-chat';
}

function notConfigured({
  provider,
  missing,
}: {
  readonly provider: Provider;
  readonly missing: string;
}): LonghaulError {
  return new LonghaulError({
    code: 'model-not-configured',
    cause: `${provider.name} cannot be used: ${missing}`,
    next:
      provider.name === 'local'
        ? 'Start Ollama, llama.cpp, LM Studio or vLLM, or set LONGHAUL_LOCAL_URL.'
        : `Set ${provider.keys[0]}, or use another model (local/MODEL needs no key).`,
  });
}
