import { builtinProviders } from '../catalog/builtin.ts';

/** Short names for the newest model of a family. */
const families: Readonly<Record<string, { readonly provider: string; readonly start: string }>> = {
  opus: { provider: 'anthropic', start: 'claude-opus-' },
  sonnet: { provider: 'anthropic', start: 'claude-sonnet-' },
  haiku: { provider: 'anthropic', start: 'claude-haiku-' },
  gpt: { provider: 'openai', start: 'gpt-' },
  gemini: { provider: 'google', start: 'gemini-' },
};

/** The short names of models. */
export const modelAliases: readonly string[] = Object.keys(families);

/**
 * The model of a short name: the highest version of its family in the tables, the first listed among
 * variants of one version; `undefined` for any other name.
 *
 * @example
 * resolveAlias('opus'); // { provider: 'anthropic', model: 'claude-opus-5-5' }
 */
export function resolveAlias(name: string): { readonly provider: string; readonly model: string } | undefined {
  const family = Object.hasOwn(families, name.toLowerCase()) ? families[name.toLowerCase()] : undefined;
  if (!family) return undefined;
  const models = builtinProviders.find(({ provider }) => provider === family.provider)?.models ?? [];
  const versions = models.flatMap(({ match: [model = ''] }) => {
    const version = model.startsWith(family.start) ? versionOf(model.slice(family.start.length)) : undefined;
    return version === undefined ? [] : [{ model, version }];
  });
  // Sorting is stable, so the order of the tables decides among equals.
  const [newest] = versions.toSorted((a, b) => b.version - a.version);
  return newest && { provider: family.provider, model: newest.model };
}

/** `5-5` and `6.1-sol` as numbers that compare; `undefined` if it does not begin with a version. */
function versionOf(text: string): number | undefined {
  const [, major, minor = '0'] = /^(\d{1,2})(?:[.-](\d{1,2}))?(?![\d])/.exec(text) ?? [];
  return major === undefined ? undefined : Number(major) * 100 + Number(minor);
}
