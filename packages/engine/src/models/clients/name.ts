import { LonghaulError } from '../../errors.ts';
import { modelInfo } from '../catalog/info.ts';
import { modelAliases, resolveAlias } from './aliases.ts';
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
