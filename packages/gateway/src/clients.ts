/** How a known client is pointed at a gateway. */
export interface ClientSetting {
  readonly client: string;
  /** A line to run, or to put into the file that it names. */
  readonly line: string;
}

/**
 * What to set for each known client.
 *
 * @example
 * for (const { client, line } of clientSettings({ url: gateway.url })) console.log(client, line);
 */
export function clientSettings({ url }: { readonly url: string }): readonly ClientSetting[] {
  return [
    { client: 'Claude Code', line: `ANTHROPIC_BASE_URL=${url} claude` },
    { client: 'Codex', line: `codex -c 'openai_base_url="${url}/v1"'` },
    { client: 'Gemini CLI', line: `GOOGLE_GEMINI_BASE_URL=${url} gemini` },
    { client: 'opencode', line: `opencode.json: provider.NAME.options.baseURL = "${url}/v1"` },
    { client: 'pi', line: `~/.pi/agent/models.json: providers.NAME.baseUrl = "${url}"` },
    { client: 'Copilot CLI', line: `COPILOT_PROVIDER_BASE_URL=${url}/v1 copilot` },
    { client: 'Qwen Code', line: `OPENAI_BASE_URL=${url}/v1 qwen` },
    { client: 'OpenAI SDKs', line: `OPENAI_BASE_URL=${url}/v1` },
    { client: 'Anthropic SDKs', line: `ANTHROPIC_BASE_URL=${url}` },
  ];
}
