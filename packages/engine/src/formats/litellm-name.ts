import type { ModelName } from '../session/index.ts';

/**
 * The model that a name of LiteLLM means, through which agents in Python speak to all providers: the provider stands
 * before the first slash, and may be left out. `undefined` where there is no name.
 *
 * @example
 * liteLlmName('anthropic/claude-sonnet-4-5'); // { provider: 'anthropic', name: 'claude-sonnet-4-5' }
 */
export function liteLlmName(written: unknown): ModelName | undefined {
  const [, provider = 'litellm', name] =
    typeof written === 'string' ? (/^(?:([^/]+)\/)?(.+)$/.exec(written) ?? []) : [];
  return name === undefined ? undefined : { provider, name };
}
