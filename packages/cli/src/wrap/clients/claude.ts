import { isRecord } from '../../input/is-record.ts';
import { type ClientPlan, type ClientSetup, type Endpoint, type KnownClient, providerUrls } from '../client.ts';
import { textAt, valueAt } from './json-value.ts';

const variable = 'ANTHROPIC_BASE_URL';

/** Switches to providers with other request formats. */
const otherProviders: readonly (readonly [string, string])[] = [
  ['CLAUDE_CODE_USE_BEDROCK', 'Amazon Bedrock'],
  ['CLAUDE_CODE_USE_VERTEX', 'Google Vertex AI'],
  ['CLAUDE_CODE_USE_FOUNDRY', 'Microsoft Foundry'],
];

/**
 * Claude Code. `env` in a settings file overrides the environment of the process, and `--settings` overrides the files, so
 * an address in a file is replaced that way.
 */
export const claude: KnownClient = { name: 'claude', title: 'Claude Code', plan };

async function plan(setup: ClientSetup): Promise<ClientPlan> {
  const { env, args } = setup;
  const given = givenSettings(args);
  const fromFlag = given === undefined ? undefined : ((await setup.read(given.value)) ?? given.value);
  const files = [fromFlag, ...(await settingsFiles(setup))];
  const setting = (name: string) =>
    files.map((text) => textAt({ text, path: ['env', name] })).find((value) => value !== undefined) ?? env[name];
  const other = otherProviders.find(([name]) => isOn(setting(name)));
  if (other)
    return {
      endpoints: [],
      notes: [`Claude Code is configured for ${other[1]}, whose requests the gateway does not change.`],
      launch: async () => ({ env: {}, args: [] }),
    };
  const existing = setting(variable);
  const isInFile = files.some((text) => textAt({ text, path: ['env', variable] }) !== undefined);
  const endpoint: Endpoint = { name: 'anthropic', provider: 'anthropic', baseUrl: existing ?? providerUrls.anthropic };
  return {
    endpoints: [endpoint],
    notes: [],
    launch: async ({ baseUrl }) => {
      const variables = {
        [variable]: baseUrl(endpoint),
        // With an address other than Anthropic's, Claude Code sends all tools in full unless tool search is enabled.
        ...(existing === undefined && setting('ENABLE_TOOL_SEARCH') === undefined && { ENABLE_TOOL_SEARCH: 'true' }),
      };
      if (!isInFile) return { env: variables, args: [] };
      const settings = valueAt({ text: fromFlag, path: [] });
      const merged = isRecord(settings)
        ? { ...settings, env: { ...(isRecord(settings.env) ? settings.env : {}), ...variables } }
        : { env: variables };
      return {
        env: variables,
        args: ['--settings', JSON.stringify(merged)],
        ...(given !== undefined && { userArgs: given.others }),
      };
    },
  };
}

/** The settings files in order of precedence. */
async function settingsFiles({ env, home, cwd, read }: ClientSetup): Promise<(string | undefined)[]> {
  return await Promise.all([
    read(cwd, '.claude', 'settings.local.json'),
    read(cwd, '.claude', 'settings.json'),
    read(env.CLAUDE_CONFIG_DIR ?? `${home}/.claude`, 'settings.json'),
  ]);
}

/** The value of `--settings` on the command line, and the other arguments. */
function givenSettings(
  args: readonly string[],
): { readonly value: string; readonly others: readonly string[] } | undefined {
  const at = args.findIndex((word) => word === '--settings' || word.startsWith('--settings='));
  const word = args[at];
  if (word === undefined) return undefined;
  const isJoined = word !== '--settings';
  const value = isJoined ? word.slice('--settings='.length) : args[at + 1];
  if (value === undefined) return undefined;
  return { value, others: args.toSpliced(at, isJoined ? 1 : 2) };
}

function isOn(value: string | undefined): boolean {
  return /^(1|true|yes|on)$/i.test(value ?? '');
}
