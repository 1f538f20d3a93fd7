import anthropic from '../data/anthropic.json' with { type: 'json' };
import google from '../data/google.json' with { type: 'json' };
import openai from '../data/openai.json' with { type: 'json' };
import others from '../data/others.json' with { type: 'json' };
import type { ModelData, ProviderEntry } from './entry.ts';

/** TypeScript reads the enums of a JSON file as strings. That each file fits its schema (`modelSchemas`) is a test, not a hope. */
function typed(file: { readonly providers: readonly object[] }): readonly ProviderEntry[] {
  return (file as unknown as ModelData).providers;
}

/**
 * The providers that come with the package.
 *
 * @example
 * builtinProviders.flatMap((entry) => entry.models.map((model) => `${entry.provider} ${model.match[0]}`));
 */
export const builtinProviders: readonly ProviderEntry[] = [anthropic, openai, google, others].flatMap(typed);
