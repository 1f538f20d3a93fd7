import { isArray, isObject, type JsonObject, parseJson } from '../../json.ts';
import { textOf } from '../wire/bound-body.ts';
import type { Send } from '../wire/bounded-fetch.ts';

/** A server on this machine that answered. */
export interface LocalServer {
  readonly name: string;
  readonly url: string;
  readonly models: readonly LocalModel[];
}

export interface LocalModel {
  readonly name: string;
  /** The window, where the server says it. */
  readonly window?: number;
}

/** Where the usual servers listen, in the order in which they are tried. */
const places = [
  { name: 'ollama', url: 'http://127.0.0.1:11434/v1' },
  { name: 'llama.cpp', url: 'http://127.0.0.1:8080/v1' },
  { name: 'lm-studio', url: 'http://127.0.0.1:1234/v1' },
  { name: 'vllm', url: 'http://127.0.0.1:8000/v1' },
] as const;

/** A server that takes longer than this to list its models is not waited for. */
const probeTimeout = 1500;

/** The usual servers that answer now. */
export async function findLocal({
  fetch,
  urls,
}: {
  readonly fetch: Send;
  /** Where to look in place of the usual ports. */
  readonly urls?: readonly string[] | undefined;
}): Promise<readonly LocalServer[]> {
  const asked = urls?.map((url) => ({ name: nameOf(url), url })) ?? places;
  const found = await Promise.all(
    asked.map(async (place): Promise<LocalServer[]> => {
      const models = await listLocal({ url: place.url, fetch });
      return models === undefined ? [] : [{ ...place, models }];
    }),
  );
  return found.flat();
}

/** The models of one server; `undefined` where none answers. */
export async function listLocal({
  url,
  fetch,
  apiKey,
}: {
  readonly url: string;
  readonly fetch: Send;
  readonly apiKey?: string | undefined;
}): Promise<readonly LocalModel[] | undefined> {
  try {
    const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    const response = await fetch(`${url}/models`, { headers, signal: AbortSignal.timeout(probeTimeout) });
    const body = parseJson(await textOf(response.reader));
    if (!response.ok || !isObject(body) || !isArray(body.data)) return undefined;
    return body.data.filter(isObject).flatMap(readModel);
  } catch {
    return undefined;
  }
}

/**
 * The window that Ollama runs a model with, which is often far below the model's own: it says so only of models that are
 * loaded, on its own interface, and cuts longer prompts without a word.
 */
export async function ollamaWindow({
  url,
  model,
  fetch,
}: {
  readonly url: string;
  readonly model: string;
  readonly fetch: Send;
}): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(probeTimeout);
    const body = parseJson(await textOf((await fetch(`${url.replace(/\/v1$/, '')}/api/ps`, { signal })).reader));
    const loaded = isObject(body) && isArray(body.models) ? body.models.filter(isObject) : [];
    const named = loaded.find(({ name, model: other }) =>
      [name, other].some((each) => each === model || each === `${model}:latest`),
    );
    return typeof named?.context_length === 'number' && named.context_length > 0 ? named.context_length : undefined;
  } catch {
    return undefined;
  }
}

/** The port tells which of the usual servers it is likely to be. */
export function nameOf(url: string): string {
  const port = URL.parse(url)?.port;
  return places.find((place) => URL.parse(place.url)?.port === port)?.name ?? 'local';
}

/** vLLM says `max_model_len`, llama.cpp `meta.n_ctx` (what it runs with, not what the model was trained for). */
function readModel(entry: JsonObject): LocalModel[] {
  if (typeof entry.id !== 'string') return [];
  const meta = isObject(entry.meta) ? entry.meta : {};
  const window = [entry.max_model_len, meta.n_ctx, entry.context_length].find(
    (value) => typeof value === 'number' && value > 0,
  );
  return [{ name: entry.id, ...(typeof window === 'number' && { window }) }];
}
