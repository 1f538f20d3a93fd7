import { LonghaulError } from 'longhaul';
import { createModelSummariser, type Summariser } from 'longhaul/compaction';
import type { Io } from '../io/io.ts';
import { wireLimitsOf } from '../models/wire-limits.ts';
import type { Settings } from '../settings/schema.ts';

/**
 * How summaries are made by the settings in force; `undefined` where no model is asked. What is missing is told before
 * anything is done.
 *
 * @example
 * const summariser = await summariserOf({ values, io });
 */
export async function summariserOf({
  values,
  io,
}: {
  readonly values: Pick<Settings, 'compaction' | 'limits'>;
  readonly io: Pick<Io, 'env' | 'fetch' | 'models'>;
}): Promise<Summariser | undefined> {
  const { summarizer, endpoint, model } = values.compaction;
  if (summarizer !== 'model') return undefined;
  const limits = wireLimitsOf(values);
  const { url, keyVariable, timeout, window } = endpoint;
  const [name, address] = [model.trim(), url.trim()];
  if (name === '' && address === '') throw noModel();
  const own = name === '' ? [] : [await io.models.create({ name, env: io.env, limits })];
  const headers = address === '' ? {} : headersOf({ keyVariable, env: io.env });
  const remote =
    address === '' ? [] : [{ remote: { url: checked(address), headers, window, fetch: io.fetch, limits } }];
  // All the time there is, for one call or for many.
  const ms = timeout * 1000;
  return createModelSummariser({ models: [...own, ...remote], limits: { patience: ms, deadline: ms } });
}

/** Only what `fetch` will take, and no key where `config show` would print it. */
function checked(url: string): string {
  const { protocol, username, password } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new LonghaulError({
      code: 'bad-endpoint',
      cause: `the endpoint ${JSON.stringify(url)} is no address of the web.`,
      next: 'Give one that begins with https:// or http://.',
    });
  }
  if (username || password) {
    throw new LonghaulError({
      code: 'bad-endpoint',
      cause: 'the address of the endpoint has a name or a password in it.',
      next: 'Put the key into an environment variable, and name that with --endpoint-key-variable.',
    });
  }
  return url;
}

function headersOf({ keyVariable, env }: { readonly keyVariable: string; readonly env: Io['env'] }) {
  const name = keyVariable.trim();
  if (name === '') return {};
  const key = env[name]?.trim() ?? '';
  if (key !== '') return { authorization: `Bearer ${key}` };
  throw new LonghaulError({
    code: 'no-key',
    cause: `the environment variable ${name}, which is to hold the key of the endpoint, is not set.`,
    next: 'Set it, or name another one with --endpoint-key-variable.',
  });
}

function noModel(): LonghaulError {
  return new LonghaulError({
    code: 'no-model',
    cause: 'no model is set up that could write summaries.',
    next: 'Name one with --summary-model NAME (`longhaul models` lists them) or an endpoint of your own with --endpoint URL, or use --summarizer extractive, which needs none.',
  });
}
