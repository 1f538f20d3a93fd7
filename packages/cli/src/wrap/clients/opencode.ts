import { isRecord } from '../../input/is-record.ts';
import type { ClientPlan, ClientSetup, Endpoint, KnownClient, Provider } from '../client.ts';
import { textAt, valueAt } from './json-value.ts';
import { publicProviders } from './public-providers.ts';

const variable = 'OPENCODE_CONFIG_CONTENT';

/** opencode. The variable holds a configuration that is merged over those of all files. */
export const opencode: KnownClient = { name: 'opencode', title: 'opencode', plan };

async function plan(setup: ClientSetup): Promise<ClientPlan> {
  const configs = await configTexts(setup);
  const endpoints = new Map<string, Endpoint>();
  for (const text of configs) for (const endpoint of configured(text)) endpoints.set(endpoint.name, endpoint);
  // A provider without a key must not be added: opencode would offer it and could choose it.
  for (const endpoint of await withKeys({ setup, configs }))
    if (!endpoints.has(endpoint.name)) endpoints.set(endpoint.name, endpoint);
  const all = [...endpoints.values()];
  return {
    endpoints: all,
    notes: all.length > 0 ? [] : ['No provider with a key or an address was found in the configuration of opencode.'],
    launch: async ({ baseUrl }) => {
      const own = valueAt({ text: setup.env[variable], path: [] });
      const config = isRecord(own) ? own : {};
      const provider: Record<string, unknown> = isRecord(config.provider) ? { ...config.provider } : {};
      for (const endpoint of all) {
        const given = provider[endpoint.name];
        const options = isRecord(given) && isRecord(given.options) ? given.options : {};
        provider[endpoint.name] = {
          ...(isRecord(given) && given),
          options: { ...options, baseURL: baseUrl(endpoint) },
        };
      }
      return { env: { [variable]: JSON.stringify({ ...config, provider }) }, args: [] };
    },
  };
}

/** The configurations, from the lowest to the highest precedence. */
async function configTexts({ env, home, cwd, read }: ClientSetup): Promise<string[]> {
  const folder = `${env.XDG_CONFIG_HOME ?? `${home}/.config`}/opencode`;
  const names = ['config.json', 'opencode.json', 'opencode.jsonc'];
  const paths = [...names.map((name) => `${folder}/${name}`), env.OPENCODE_CONFIG, ...inFoldersAbove({ cwd })];
  const texts = await Promise.all(paths.map((path) => (path === undefined ? undefined : read(path))));
  return [...texts, env[variable]].filter((text) => text !== undefined);
}

/** The project files in this folder and those above it, the nearest last. */
function inFoldersAbove({ cwd }: { readonly cwd: string }): string[] {
  const folders = cwd.split(/[\\/]/).map((_, at, names) => names.slice(0, at + 1).join('/'));
  return folders.flatMap((folder) => [`${folder}/opencode.json`, `${folder}/opencode.jsonc`]);
}

/** The providers that a configuration gives an address. */
function configured(text: string): Endpoint[] {
  const providers = valueAt({ text, path: ['provider'] });
  return Object.entries(isRecord(providers) ? providers : {}).flatMap(([name, value]) => {
    const baseUrl = isRecord(value) && isRecord(value.options) ? value.options.baseURL : undefined;
    if (!isRecord(value) || typeof baseUrl !== 'string' || !URL.canParse(baseUrl)) return [];
    return [{ name, baseUrl, provider: providerOf({ name, npm: value.npm }) }];
  });
}

function providerOf({ name, npm }: { readonly name: string; readonly npm: unknown }): Provider {
  const known = publicProviders.find((provider) => provider.name === name)?.provider;
  if (typeof npm !== 'string') return known ?? 'openai';
  return npm.includes('anthropic') ? 'anthropic' : npm.includes('google') ? 'gemini' : 'openai';
}

/** Public providers that have a key: in the environment, from a login, or in a configuration. */
async function withKeys({
  setup: { env, home, read },
  configs,
}: {
  readonly setup: ClientSetup;
  readonly configs: readonly string[];
}): Promise<Endpoint[]> {
  const logins = await read(env.XDG_DATA_HOME ?? `${home}/.local/share`, 'opencode', 'auth.json');
  return publicProviders
    .filter(
      ({ name, keys }) =>
        keys.some((key) => env[key]) ||
        textAt({ text: logins, path: [name, 'type'] }) === 'api' ||
        configs.some((text) => valueAt({ text, path: ['provider', name] }) !== undefined),
    )
    .map(({ name, provider, baseUrl }) => ({
      name,
      provider,
      baseUrl: name === 'anthropic' ? (env.ANTHROPIC_BASE_URL ?? `${baseUrl}/v1`) : baseUrl,
    }));
}
