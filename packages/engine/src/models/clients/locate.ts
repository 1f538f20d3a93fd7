import { LonghaulError } from '../../errors.ts';
import type { ModelEntry } from '../catalog/entry.ts';
import { findLocal, type LocalModel, listLocal, nameOf, ollamaWindow } from './local.ts';
import type { Environment, Settings } from './settings.ts';

/** A model on a server of one's own. */
export interface Located {
  readonly settings: Settings & { readonly baseUrl: string };
  readonly model: string;
  /** Whose rules hold, in the tables. */
  readonly host: string;
  /** What the server says of the model. */
  readonly extra?: readonly ModelEntry[];
}

interface Asked {
  readonly settings: Settings;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
  readonly env: Environment;
}

/** A local server and one of its models: the named place, else the first of the usual ones that has it. */
export async function locate(asked: Asked): Promise<Located | undefined> {
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
  readonly asked: Asked;
  readonly url: string;
  readonly models: readonly LocalModel[];
  readonly host: string;
}): Promise<Located> {
  const name = model === '' ? models[0]?.name : model;
  if (name === undefined)
    throw new LonghaulError({
      code: 'model-name',
      cause: `The server at ${url} lists no model.`,
      next: 'Load a model there, or name one as local/MODEL.',
    });
  const told = Number(env.OLLAMA_CONTEXT_LENGTH) || undefined;
  const ollama = host === 'ollama' ? ((await ollamaWindow({ url, model: name, fetch })) ?? told) : undefined;
  const window = models.find((each) => each.name === name)?.window ?? ollama;
  const extra = window === undefined ? undefined : [{ match: [name], window, maxOutput: Math.ceil(window / 4) }];
  return { settings: { ...settings, baseUrl: url }, model: name, host, ...(extra && { extra }) };
}
