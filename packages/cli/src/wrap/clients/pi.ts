import { isRecord } from '../../input/is-record.ts';
import type { ClientPlan, ClientSetup, Endpoint, KnownClient, Provider } from '../client.ts';
import { valueAt } from './json-value.ts';
import { publicProviders } from './public-providers.ts';

/** What pi calls the protocols. */
const protocols: Readonly<Record<string, Provider>> = {
  'anthropic-messages': 'anthropic',
  'openai-completions': 'openai',
  'openai-responses': 'openai',
  'google-generative-ai': 'gemini',
};

/** pi. An extension may change the address of a provider, also of one in `models.json`. */
export const pi: KnownClient = { name: 'pi', title: 'pi', plan };

async function plan(setup: ClientSetup): Promise<ClientPlan> {
  const { env, home, read } = setup;
  const models = await read(env.PI_CODING_AGENT_DIR ?? `${home}/.pi/agent`, 'models.json');
  const own = configured(models);
  const names = new Set(own.map(({ name }) => name));
  const endpoints = [...own, ...publicProviders.filter(({ name }) => !names.has(name))];
  return {
    endpoints,
    notes: [],
    launch: async ({ baseUrl, file }) => {
      const addresses = Object.fromEntries(endpoints.map((endpoint) => [endpoint.name, baseUrl(endpoint)]));
      const path = await file({ name: 'longhaul-gateway.js', text: extension(addresses) });
      return { env: {}, args: ['--extension', path] };
    },
  };
}

function configured(text: string | undefined): Endpoint[] {
  const providers = valueAt({ text, path: ['providers'] });
  return Object.entries(isRecord(providers) ? providers : {}).flatMap(([name, value]) => {
    if (!isRecord(value) || typeof value.baseUrl !== 'string' || !URL.canParse(value.baseUrl)) return [];
    const known = publicProviders.find((provider) => provider.name === name)?.provider;
    const provider = protocols[String(value.api)] ?? known ?? 'openai';
    return [{ name, provider, baseUrl: value.baseUrl }];
  });
}

/** The text of the extension. */
function extension(addresses: Readonly<Record<string, string>>): string {
  return `const addresses = ${JSON.stringify(addresses, undefined, 2)};

export default function (pi) {
  for (const [name, baseUrl] of Object.entries(addresses)) pi.registerProvider(name, { baseUrl });
}
`;
}
