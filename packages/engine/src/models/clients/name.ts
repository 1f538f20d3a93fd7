import { LonghaulError } from '../../errors.ts';
import { builtinProviders } from '../catalog/builtin.ts';
import { modelInfo } from '../catalog/info.ts';
import { findProvider, providers } from './providers.ts';

/** A model's name in its two halves. */
export interface ModelReference {
  /** One of the names that `listModels` lists. */
  readonly provider: string;
  /** As the provider knows it; it may hold slashes. */
  readonly model: string;
}

/**
 * Reads a name such as `anthropic/claude-opus-5`. A name without a provider is looked up in the tables. Throws a
 * `LonghaulError` if the provider of the model is unknown.
 *
 * @example
 * parseModelName('gemini/gemini-3.8-flash'); // { provider: 'google', model: 'gemini-3.8-flash' }
 * parseModelName('openrouter/moonshotai/kimi-k3'); // { provider: 'openrouter', model: 'moonshotai/kimi-k3' }
 * parseModelName('claude-opus-5'); // { provider: 'anthropic', model: 'claude-opus-5' }
 * parseModelName('opus'); // { provider: 'anthropic', model: 'claude-opus-5-5' }: the newest in the tables
 */
export function parseModelName(name: string): ModelReference {
  const asked = name.trim();
  const slash = asked.indexOf('/');
  const short = resolveAlias(asked.slice(slash + 1).trim());
  if (short && (slash < 0 || findProvider(asked.slice(0, slash))?.name === short.provider)) return short;
  const provider = slash < 0 ? undefined : findProvider(asked.slice(0, slash));
  const model = asked.slice(slash + 1).trim();
  if (provider && (model !== '' || provider.name === 'local')) return { provider: provider.name, model };
  if (slash < 0 && asked.toLowerCase() === 'local') return { provider: 'local', model: '' };
  const maker = slash < 0 && asked !== '' ? findProvider(modelInfo({ name: asked }).provider ?? '') : undefined;
  if (maker) return { provider: maker.name, model: asked };
  throw unknownName({ asked, slash });
}

function unknownName({ asked, slash }: { readonly asked: string; readonly slash: number }): LonghaulError {
  const names = providers.map((each) => each.name).join(', ');
  if (slash > 0 && !findProvider(asked.slice(0, slash))) {
    return new LonghaulError({
      code: 'model-name',
      message: `Unknown provider '${asked.slice(0, slash)}' in the model name '${asked}'.`,
      hint: `Use one of ${names}. For another server that is compatible with OpenAI, set LONGHAUL_LOCAL_URL to its address and name the model local/${asked.slice(slash + 1)}.`,
    });
  }
  return new LonghaulError({
    code: 'model-name',
    message: asked === '' ? 'No model is named.' : `Unknown model '${asked}'.`,
    hint: `Name it as PROVIDER/MODEL, with one of ${names}; or use ${modelAliases.join(', ')} for the newest model of a family.`,
  });
}

/** Short names for the newest model of a family. */
const families: Readonly<Record<string, { readonly provider: string; readonly start: string }>> = {
  opus: { provider: 'anthropic', start: 'claude-opus-' },
  sonnet: { provider: 'anthropic', start: 'claude-sonnet-' },
  haiku: { provider: 'anthropic', start: 'claude-haiku-' },
  gpt: { provider: 'openai', start: 'gpt-' },
  gemini: { provider: 'google', start: 'gemini-' },
};

/** The short names of models. */
const modelAliases: readonly string[] = Object.keys(families);

/**
 * The model of a short name: the highest version of its family in the tables, the first listed among
 * variants of one version; `undefined` for any other name.
 *
 * @example
 * resolveAlias('opus'); // { provider: 'anthropic', model: 'claude-opus-5-5' }
 */
function resolveAlias(name: string): { readonly provider: string; readonly model: string } | undefined {
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
