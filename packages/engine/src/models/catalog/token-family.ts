import type { Framing } from '../../tokens/index.ts';
import data from '../data/token-families.json' with { type: 'json' };
import { builtinProviders } from './builtin.ts';
import type { TokenizerSpec } from './entry.ts';
import { namesOf } from './match.ts';

/** Models that share a vocabulary, and how it relates to ours. */
export interface TokenFamily {
  readonly family: string;
  /** Regular expressions for the name of a model without provider, region and tag. */
  readonly names: readonly string[];
  /** Only its maker and hosts serve it: on a local server another model has the name. */
  readonly isHosted?: boolean;
  readonly encoding: TokenizerSpec['encoding'];
  /** Tokens of the provider for one of ours (o200k_base where the encoding is unknown). */
  readonly factor: number;
  /** By which share the upper bound exceeds that before any usage was reported. */
  readonly margin: number;
  readonly framing?: Framing;
  /** What the factor was learned from, and what the bound was judged on; absent where no usage was at hand. */
  readonly measured?: {
    readonly learned: { readonly sessions: number; readonly requests: number };
    readonly judged: { readonly sessions: number; readonly requests: number };
  };
  readonly note?: string;
  readonly source: string;
  readonly asOf: string;
}

/**
 * The families of models whose token counts are known or measured.
 *
 * @example
 * tokenFamilies.map(({ family, factor, margin }) => `${family}: ${factor}, at most ${factor * (1 + margin)}`);
 */
export const tokenFamilies: readonly TokenFamily[] = data.families as readonly TokenFamily[];

const patterns = tokenFamilies.map((family) => ({ family, names: family.names.map((name) => new RegExp(name)) }));

/** Hosts that are no providers of the catalog, as they stand before the name of a model. */
const hosts = [
  ...['azure', 'azure-openai', 'azure-ai-foundry', 'bedrock', 'amazon-bedrock', 'converse', 'vertex', 'vertex_ai'],
  ...['github-copilot', 'github', 'copilot', 'vercel', 'litellm', 'cloudflare', 'models', 'chat', 'responses'],
  ...['fireworks', 'fireworks_ai', 'together', 'together_ai', 'deepinfra', 'nebius', 'requesty', 'opencode', 'google'],
];

const known = new Set([...builtinProviders.flatMap(({ provider, aliases = [] }) => [provider, ...aliases]), ...hosts]);

/** Servers on which people give models names as they like. */
const local = new Set(
  builtinProviders
    .filter(({ provider }) => ['ollama', 'llama.cpp', 'local'].includes(provider))
    .flatMap(({ provider, aliases = [] }) => [provider, ...aliases]),
);

/**
 * The family of a model by its name, whatever precedes or follows it (`openrouter/openai/gpt-4.1`, `azure/gpt-4o`,
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0`); `undefined` for any name that is not surely one of a family, such as
 * `acme/gpt-4o-distill`.
 *
 * @example
 * tokenFamilyOf({ name: 'openai/gpt-4.1-mini-2025-04-14' })?.encoding; // 'o200k_base'
 */
export function tokenFamilyOf({
  provider,
  name,
}: {
  readonly provider?: string | undefined;
  readonly name: string;
}): TokenFamily | undefined {
  const path = name.trim().toLowerCase().split('/').slice(0, -1);
  if (path.some((segment) => !known.has(segment))) return undefined;
  const isLocal = [provider?.toLowerCase(), ...path].some((host) => host !== undefined && local.has(host));
  const bare = (namesOf(name).at(-1) ?? '').replace(/[:@][\s\S]*/, '');
  const found = patterns.find(({ names }) => names.some((pattern) => pattern.test(bare)))?.family;
  return found?.isHosted && isLocal ? undefined : found;
}
