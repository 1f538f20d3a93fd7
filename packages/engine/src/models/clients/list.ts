import { builtinProviders } from '../catalog/builtin.ts';
import { maskKeys } from '../failure/mask.ts';
import { bounded, type Send, sendWith } from '../wire/bounded-fetch.ts';
import { type WireLimits, wireLimits } from '../wire/limits.ts';
import { findLocal } from './local.ts';
import { type ProviderDefinition, providers } from './providers.ts';
import { type EnvironmentVariables, missingOf, type ProviderSettings, readSettings } from './settings.ts';
import { createFetch } from './transport/fetch.ts';

/** A provider, and whether it can be used as things stand. */
export interface ListedProvider {
  /** The name before the slash. */
  readonly provider: string;
  readonly configured: boolean;
  /** What is missing, in one sentence, where it is not configured. */
  readonly missing?: string;
  readonly baseUrl?: string;
  /** The variable that named the place, where one did. */
  readonly from?: string;
  /** The variable that holds the key, where one does. */
  readonly keyFrom?: string;
  /** Which server it is, where a local one answered. */
  readonly server?: string;
  /** Models as `createModel` takes them: those in the tables, or those that a local server has. */
  readonly models: readonly string[];
}

/**
 * Who can be asked, and what is missing for the others. Only with `probe` is anything sent: to the servers on this
 * machine, for their lists of models.
 *
 * @example
 * for (const { provider, configured, missing } of await listModels({ env: process.env }))
 *   console.log(provider, configured ? 'ready' : missing);
 */
export async function listModels({
  env,
  probe,
  fetch: given,
  limits: wanted,
}: {
  readonly env: EnvironmentVariables;
  /** `true` asks the usual ports; a list asks these places. */
  readonly probe?: boolean | readonly string[];
  readonly fetch?: typeof globalThis.fetch;
  /** Times and sizes in place of `wireLimits.local`. */
  readonly limits?: Partial<WireLimits>;
}): Promise<readonly ListedProvider[]> {
  const limits = { ...wireLimits.local, ...wanted };
  const fetch = given ? bounded({ send: sendWith(given), limits }) : createFetch({ place: 'local', limits });
  const listed = await Promise.all(
    providers.map((provider) =>
      provider.name === 'local' ? local({ provider, env, probe, fetch }) : [remote({ provider, env })],
    ),
  );
  return listed.flat();
}

function remote({
  provider,
  env,
}: {
  readonly provider: ProviderDefinition;
  readonly env: EnvironmentVariables;
}): ListedProvider {
  const settings = readSettings({ provider, env });
  const missing = missingOf({ provider, settings });
  const maker = builtinProviders.find((each) => each.provider === (provider.maker ?? provider.name));
  const models = (maker?.models ?? []).flatMap(({ match }) => match.filter((name) => !name.endsWith('*')));
  return {
    provider: provider.name,
    configured: missing === undefined,
    ...(missing !== undefined && { missing }),
    ...placeOf(settings),
    models: models.map((name) => `${provider.name}/${name}`),
  };
}

async function local({
  provider,
  env,
  probe = false,
  fetch,
}: {
  readonly provider: ProviderDefinition;
  readonly env: EnvironmentVariables;
  readonly probe: boolean | readonly string[] | undefined;
  readonly fetch: Send;
}): Promise<readonly ListedProvider[]> {
  const settings = readSettings({ provider, env });
  const named = settings.baseUrl === undefined ? [] : [settings.baseUrl];
  const urls = typeof probe === 'object' ? probe : named.length > 0 ? named : undefined;
  const servers = probe === false ? [] : await findLocal({ fetch, urls });
  if (servers.length === 0) {
    const configured = settings.baseUrl !== undefined && probe === false;
    const silent =
      settings.baseUrl === undefined
        ? 'No local server answers, and LONGHAUL_LOCAL_URL is not set.'
        : `No server answers at ${shown(settings.baseUrl)}.`;
    const missing = probe === false ? missingOf({ provider, settings }) : silent;
    const base = { provider: provider.name, configured, ...placeOf(settings), models: [] };
    return [missing === undefined ? base : { ...base, missing }];
  }
  return servers.map(({ name, url, models }) => ({
    provider: provider.name,
    configured: true,
    baseUrl: shown(url),
    server: name,
    models: models.map((model) => `${provider.name}/${model.name}`),
  }));
}

function placeOf({ baseUrl, from, keyFrom }: Pick<ProviderSettings, 'baseUrl' | 'from' | 'keyFrom'>) {
  return {
    ...(baseUrl !== undefined && { baseUrl: shown(baseUrl) }),
    ...(from !== undefined && { from }),
    ...(keyFrom !== undefined && { keyFrom }),
  };
}

/** An address may hold a key. The first search for keys takes long, and most addresses have no part that could be one. */
function shown(url: string): string {
  return mayHoldKey.test(url) ? maskKeys({ text: url }) : url;
}

/** What all shapes of keys have: a separator that plain hosts and paths do not need, or a long part. */
const mayHoldKey = /[@?#=_-]|:(?!\/\/|\d+(?:\/|$))|[^/.:]{10}/;
