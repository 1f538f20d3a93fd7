import type { Dialect } from '../../message/index.ts';

/** A provider that can be named, and where its settings stand. */
export interface ProviderDefinition {
  /** The name before the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** Whose models these are, in the tables and in failures. Default: `name`. */
  readonly maker?: string;
  /** The dialects we can speak with it; the tables choose among them. */
  readonly dialects: readonly Dialect[];
  /** Variables that hold the key; the first that is set counts. */
  readonly keys: readonly string[];
  /** Variables that hold a bearer token in place of a key. */
  readonly tokens?: readonly string[];
  readonly urls: readonly string[];
  /** The variable that holds headers, one `Name: value` a line. */
  readonly headers?: string;
  /** Headers that have a variable of their own. */
  readonly named?: Readonly<Record<string, string>>;
  /** Absent where there is no usual place: a server on this machine. */
  readonly baseUrl?: string;
}

const organisation = {
  headers: 'OPENAI_CUSTOM_HEADERS',
  named: { 'openai-organization': 'OPENAI_ORG_ID', 'openai-project': 'OPENAI_PROJECT_ID' },
} as const;

export const providers: readonly ProviderDefinition[] = [
  {
    name: 'anthropic',
    aliases: ['claude'],
    dialects: ['anthropic'],
    keys: ['ANTHROPIC_API_KEY'],
    tokens: ['ANTHROPIC_AUTH_TOKEN'],
    urls: ['ANTHROPIC_BASE_URL'],
    headers: 'ANTHROPIC_CUSTOM_HEADERS',
    baseUrl: 'https://api.anthropic.com',
  },
  {
    name: 'openai',
    dialects: ['openai-responses', 'openai-chat'],
    keys: ['OPENAI_API_KEY'],
    urls: ['OPENAI_BASE_URL'],
    ...organisation,
    baseUrl: 'https://api.openai.com/v1',
  },
  {
    name: 'openai-chat',
    maker: 'openai',
    dialects: ['openai-chat'],
    keys: ['OPENAI_API_KEY'],
    urls: ['OPENAI_BASE_URL'],
    ...organisation,
    baseUrl: 'https://api.openai.com/v1',
  },
  {
    name: 'google',
    aliases: ['gemini'],
    dialects: ['gemini'],
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    urls: ['GOOGLE_GEMINI_BASE_URL'],
    baseUrl: 'https://generativelanguage.googleapis.com',
  },
  {
    name: 'openrouter',
    dialects: ['openai-chat'],
    keys: ['OPENROUTER_API_KEY'],
    urls: ['OPENROUTER_BASE_URL'],
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  {
    name: 'local',
    dialects: ['openai-chat'],
    keys: ['LONGHAUL_LOCAL_KEY'],
    urls: ['LONGHAUL_LOCAL_URL', 'OLLAMA_HOST'],
  },
];

export function findProvider(name: string): ProviderDefinition | undefined {
  const asked = name.toLowerCase();
  return providers.find((provider) => provider.name === asked || provider.aliases?.includes(asked));
}
