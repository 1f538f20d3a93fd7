import { LonghaulError } from '../../errors.ts';
import { isArray, isObject, parseJson } from '../../json.ts';
import { textOf } from '../wire/bound-body.ts';
import type { Send } from '../wire/bounded-fetch.ts';
import type { ProviderDefinition } from './providers.ts';
import type { ProviderSettings } from './settings.ts';

/** Milliseconds to wait for the provider. */
const timeout = 10_000;

/**
 * Asks a provider whether it has a model that is not in the tables, and throws a `LonghaulError` unless it confirms. At
 * another address than the provider's own the name is accepted if the server cannot say.
 *
 * @example
 * await verifyModel({ provider, settings, model: 'claude-opus-9', fetch });
 */
export async function verifyModel({
  provider,
  settings,
  model,
  fetch,
}: {
  readonly provider: ProviderDefinition;
  readonly settings: ProviderSettings;
  readonly model: string;
  readonly fetch: Send;
}): Promise<void> {
  const { baseUrl = '' } = settings;
  const answer = await ask({ provider, settings, model, fetch });
  if (answer === true || (answer !== false && baseUrl !== provider.baseUrl)) return;
  const why = answer === false ? `${provider.name} does not have it` : `${provider.name} did not confirm it: ${answer}`;
  throw new LonghaulError({
    code: 'model-unknown',
    message: `Unknown model '${provider.name}/${model}': it is not in the tables, and ${why}.`,
    hint: 'Run `longhaul models` to list the known models.',
  });
}

/** Whether the provider has the model, or why it cannot be said. */
async function ask(of: Parameters<typeof verifyModel>[0]): Promise<boolean | string> {
  const { provider, settings, model, fetch } = of;
  const { baseUrl = '', apiKey, authToken, headers } = settings;
  const id = encodeURIComponent(model);
  const [url, own] = requestFor();
  try {
    const response = await fetch(url, { headers: { ...headers, ...own }, signal: AbortSignal.timeout(timeout) });
    const text = await textOf(response.reader);
    if (provider.name === 'openrouter' && response.ok) return isListed(text);
    if (response.ok) return true;
    // An address of the user may not have this path at all.
    return response.status === 404 && baseUrl === provider.baseUrl ? false : `status ${response.status}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }

  function requestFor(): readonly [string, Record<string, string>] {
    const bearer = { authorization: `Bearer ${apiKey ?? authToken ?? 'none'}` };
    switch (provider.name) {
      case 'anthropic':
        return [
          `${baseUrl.replace(/\/v1$/, '')}/v1/models/${id}`,
          { 'anthropic-version': '2023-06-01', ...(apiKey === undefined ? bearer : { 'x-api-key': apiKey }) },
        ];
      case 'google':
        return [
          `${/\/v\d\w*$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1beta`}/models/${id.replace(/^models%2F/, '')}`,
          apiKey === undefined ? {} : { 'x-goog-api-key': apiKey },
        ];
      case 'openrouter':
        return [`${baseUrl}/models`, bearer];
      default:
        return [`${baseUrl}/models/${id}`, bearer];
    }
  }

  function isListed(text: string): boolean {
    const body = parseJson(text);
    const listed = isObject(body) && isArray(body.data) ? body.data.filter(isObject) : [];
    return listed.some((entry) => entry.id === model.replace(/:\w+$/, '') || entry.id === model);
  }
}
