import { LonghaulError } from 'longhaul';
import { type ClientPlan, type ClientSetup, type KnownClient, type Provider, providerUrls } from '../client.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { textAt } from './json-value.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';

/** A client that takes its address from one variable. */
interface VariableClient {
  readonly name: string;
  readonly title: string;
  readonly variable: string;
  readonly provider: Provider;
  /** The address without the variable; if absent the variable must be set. */
  readonly baseUrl?: string;
  /** Where else the address may be: a file below the home folder, and the member in it. */
  readonly file?: { readonly path: readonly string[]; readonly member: readonly string[] };
  /** A flag that overrides variable and files. */
  readonly flag?: string;
  /** What to do if there is no address. */
  readonly hint?: string;
}

const variableClients: readonly VariableClient[] = [
  {
    name: 'gemini',
    title: 'Gemini CLI',
    variable: 'GOOGLE_GEMINI_BASE_URL',
    provider: 'gemini',
    baseUrl: providerUrls.gemini,
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    variable: 'OPENAI_BASE_URL',
    provider: 'openai',
    file: { path: ['.qwen', 'settings.json'], member: ['security', 'auth', 'baseUrl'] },
    flag: '--openai-base-url',
    hint: 'Set OPENAI_BASE_URL to the address of the provider; a login with Qwen cannot be redirected.',
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    variable: 'COPILOT_PROVIDER_BASE_URL',
    provider: 'openai',
    hint: 'Set COPILOT_PROVIDER_BASE_URL to the address of the provider; a login with GitHub cannot be redirected.',
  },
];

/** Every client that `longhaul wrap` knows, in the order of the help. */
export const knownClients: readonly KnownClient[] = [
  claude,
  codex,
  opencode,
  pi,
  ...variableClients.map((client) => ({
    name: client.name,
    title: client.title,
    plan: (setup: ClientSetup) => variablePlan({ client, setup }),
  })),
];

async function variablePlan({
  client,
  setup,
}: {
  readonly client: VariableClient;
  readonly setup: ClientSetup;
}): Promise<ClientPlan> {
  const { name, title, variable, file, flag } = client;
  const { env, args, home, read } = setup;
  const flagged = flag === undefined ? undefined : valueOfFlag({ args, flag });
  const filed = file && textAt({ text: await read(home, ...file.path), path: file.member });
  const baseUrl = flagged ?? env[variable] ?? filed ?? client.baseUrl;
  if (baseUrl === undefined)
    throw new LonghaulError({
      code: 'no-upstream',
      message: `${title} has no address that the gateway could forward to.`,
      hint: client.hint ?? `Set ${variable} to the address of the provider.`,
    });
  const endpoint = { name, provider: providerOf({ client, env }), baseUrl };
  return {
    endpoints: [endpoint],
    notes: [],
    launch: async ({ baseUrl: at }) => {
      const address = at(endpoint);
      if (flag === undefined || (flagged === undefined && filed === undefined))
        return { env: { [variable]: address }, args: [] };
      return {
        env: { [variable]: address },
        args: [flag, address],
        userArgs: withoutFlag({ args, flag }),
      };
    },
  };
}

function providerOf({ client, env }: { readonly client: VariableClient; readonly env: ClientSetup['env'] }): Provider {
  return client.name === 'copilot' && env.COPILOT_PROVIDER_TYPE === 'anthropic' ? 'anthropic' : client.provider;
}

function valueOfFlag({ args, flag }: { readonly args: readonly string[]; readonly flag: string }): string | undefined {
  const at = args.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = args[at];
  return word === flag ? args[at + 1] : word?.slice(flag.length + 1);
}

function withoutFlag({ args, flag }: { readonly args: readonly string[]; readonly flag: string }): readonly string[] {
  return args.filter((word, at) => word !== flag && !word.startsWith(`${flag}=`) && args[at - 1] !== flag);
}
