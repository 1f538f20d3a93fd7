import { parse } from 'smol-toml';
import { isRecord } from '../../input/is-record.ts';
import { type ClientPlan, type ClientSetup, type Endpoint, type KnownClient, providerUrls } from '../client.ts';
import { valueAt } from './json-value.ts';

/** The address that Codex uses after a login with ChatGPT. */
const chatGptUrl = 'https://chatgpt.com/backend-api/codex';

/** Codex. `-c` overrides its configuration file. */
export const codex: KnownClient = { name: 'codex', title: 'Codex', plan };

async function plan(setup: ClientSetup): Promise<ClientPlan> {
  const { env, args, home, read } = setup;
  const folder = env.CODEX_HOME ?? `${home}/.codex`;
  const overrides = overridesIn(args);
  const config = configOf(await read(folder, 'config.toml'));
  const profile = profileOf({ config, name: flagValue({ args, names: ['-p', '--profile'] }) ?? config.profile });
  const setting = (name: string) => overrides.get(name) ?? textOf(profile[name]) ?? textOf(config[name]);
  const id = setting('model_provider') ?? 'openai';
  const key = id === 'openai' ? 'openai_base_url' : `model_providers.${id}.base_url`;
  if (args.includes('--oss') || (id !== 'openai' && baseUrlOf({ config, id }) === undefined && !overrides.has(key)))
    return {
      endpoints: [],
      notes: [`Codex is configured for the provider ${args.includes('--oss') ? '--oss' : id}, which has no base URL.`],
      launch: async () => ({ env: {}, args: [] }),
    };
  const existing =
    id === 'openai'
      ? (setting(key) ?? env.OPENAI_BASE_URL ?? (await defaultUrl({ setup, folder })))
      : (overrides.get(key) ?? baseUrlOf({ config, id }) ?? '');
  const endpoint: Endpoint = { name: id, provider: 'openai', baseUrl: existing };
  return {
    endpoints: [endpoint],
    notes: [],
    // The last `-c` of a key wins, so an own one of the user is replaced in place.
    launch: async ({ baseUrl }) => {
      const value = `${key}=${JSON.stringify(baseUrl(endpoint))}`;
      if (!overrides.has(key)) return { env: {}, args: ['-c', value] };
      return { env: {}, args: [], userArgs: args.map((word) => replaced({ word, key, value })) };
    },
  };
}

/** Without a configured address it depends on the login. */
async function defaultUrl({
  setup: { env, read },
  folder,
}: {
  readonly setup: ClientSetup;
  readonly folder: string;
}): Promise<string> {
  if (env.CODEX_API_KEY !== undefined) return providerUrls.openai;
  const login = await read(folder, 'auth.json');
  const hasKey = typeof valueAt({ text: login, path: ['OPENAI_API_KEY'] }) === 'string';
  return !hasKey && isRecord(valueAt({ text: login, path: ['tokens'] })) ? chatGptUrl : providerUrls.openai;
}

function configOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    return parse(text ?? '');
  } catch {
    // Codex itself reports what is wrong with its file.
    return {};
  }
}

function profileOf({
  config,
  name,
}: {
  readonly config: Readonly<Record<string, unknown>>;
  readonly name: unknown;
}): Readonly<Record<string, unknown>> {
  const profile = isRecord(config.profiles) && typeof name === 'string' ? config.profiles[name] : undefined;
  return isRecord(profile) ? profile : {};
}

function baseUrlOf({
  config,
  id,
}: {
  readonly config: Readonly<Record<string, unknown>>;
  readonly id: string;
}): string | undefined {
  const provider = isRecord(config.model_providers) ? config.model_providers[id] : undefined;
  return isRecord(provider) ? textOf(provider.base_url) : undefined;
}

/** The values of `-c KEY=VALUE` and `--config KEY=VALUE`. */
function overridesIn(args: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [at, word] of args.entries()) {
    if (word === '--') break;
    const pair =
      /^(?:-c|--config)=?(.+)$/s.exec(word)?.[1] ?? (word === '-c' || word === '--config' ? args[at + 1] : '');
    const [key = '', ...value] = (pair ?? '').split('=');
    if (value.length > 0) found.set(key.trim(), unquoted(value.join('=').trim()));
  }
  return found;
}

function unquoted(text: string): string {
  const isQuoted = text.length > 1 && /^["']/.test(text) && text.at(-1) === text.at(0);
  return isQuoted ? text.slice(1, -1) : text;
}

function replaced({
  word,
  key,
  value,
}: {
  readonly word: string;
  readonly key: string;
  readonly value: string;
}): string {
  const [flag = ''] = /^(?:-c=?|--config=)/.exec(word) ?? [];
  return word.slice(flag.length).split('=', 1)[0]?.trim() === key ? `${flag}${value}` : word;
}

function flagValue({ args, names }: { readonly args: readonly string[]; readonly names: readonly string[] }) {
  const at = args.findIndex((word) => names.includes(word));
  return at < 0 ? undefined : args[at + 1];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
