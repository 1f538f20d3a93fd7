import type { Endpoint } from '../client.ts';

/** A public provider that clients with many providers know by name. */
interface PublicProvider extends Endpoint {
  /** The variables that hold its key. */
  readonly keys: readonly string[];
}

/**
 * The providers that opencode and pi know by the same names. Addresses are the ones that pi uses; opencode's SDKs expect
 * the version in the path.
 */
export const publicProviders: readonly PublicProvider[] = [
  {
    name: 'anthropic',
    provider: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_OAUTH_TOKEN'],
  },
  { name: 'openai', provider: 'openai', baseUrl: 'https://api.openai.com/v1', keys: ['OPENAI_API_KEY'] },
  {
    name: 'google',
    provider: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  },
  { name: 'openrouter', provider: 'openai', baseUrl: 'https://openrouter.ai/api/v1', keys: ['OPENROUTER_API_KEY'] },
  { name: 'groq', provider: 'openai', baseUrl: 'https://api.groq.com/openai/v1', keys: ['GROQ_API_KEY'] },
  { name: 'xai', provider: 'openai', baseUrl: 'https://api.x.ai/v1', keys: ['XAI_API_KEY'] },
  { name: 'deepseek', provider: 'openai', baseUrl: 'https://api.deepseek.com', keys: ['DEEPSEEK_API_KEY'] },
];
