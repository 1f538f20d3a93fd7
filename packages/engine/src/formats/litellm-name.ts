import type { ModelName } from '../session/index.ts';

/**
 * Parses a LiteLLM model name, which agents in Python use for all providers: the provider precedes the first slash and
 * may be omitted. `undefined` if there is no name.
 *
 * @example
 * liteLlmName('anthropic/claude-sonnet-4-5'); // { provider: 'anthropic', name: 'claude-sonnet-4-5' }
 */
export function liteLlmName(written: unknown): ModelName | undefined {
  const [, provider = 'litellm', name] =
    typeof written === 'string' ? (/^(?:([^/]+)\/)?(.+)$/.exec(written) ?? []) : [];
  return name === undefined ? undefined : { provider, name };
}
