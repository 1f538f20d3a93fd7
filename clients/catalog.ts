import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How a real client is installed and driven. */
export interface CatalogClient {
  readonly name: string;
  readonly title: string;
  /** The npm package with its exact version, or the folder of a package. */
  readonly package: string;
  /** The command in the folder of installed programs. */
  readonly command: string;
  /** The protocol, for the table. */
  readonly protocol: string;
  /** Writes the client's own settings, with which it talks to an address directly; returns variables. */
  readonly configure: (place: ClientPlace) => Readonly<Record<string, string>>;
  /** The arguments for a prompt: the first, or one that continues the last conversation in a new process. */
  readonly args: (input: { readonly prompt: string; readonly isFirst: boolean }) => readonly string[];
  /** Runs in place of the client, with its program and arguments, where it reads its address from a file only. */
  readonly launcher?: string;
  readonly hasSubagents: boolean;
  /** How many times its usage has to be reported for it to compact by itself in 40 turns, but not at once again. */
  readonly compactionScale?: number;
  /** A prompt that makes it compact its conversation, for a client that does not do so by itself when it prints one answer. */
  readonly compactionPrompt?: string;
  /** Whether it sends every result of a tool twice after a resume. */
  readonly repeatsResponses?: true;
}

interface ClientPlace {
  readonly home: string;
  /** The address of the provider, without a path. */
  readonly url: string;
}

const key = 'dummy-key';

const anthropicModel = 'claude-sonnet-4-5';

function write({ path, content }: { readonly path: string; readonly content: unknown }): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
}

/** opencode with one of its provider packages. */
function opencode({
  protocol,
  npm,
  model,
}: {
  readonly protocol: string;
  readonly npm: string;
  readonly model: string;
}): CatalogClient {
  return {
    name: `opencode-${protocol}`,
    title: 'opencode',
    package: 'opencode-ai@1.18.33',
    command: 'opencode',
    protocol,
    hasSubagents: true,
    configure: ({ home, url }) => {
      const limit = { context: 200_000, output: 16_000 };
      const content = {
        autoupdate: false,
        share: 'disabled',
        model: `local/${model}`,
        permission: { '*': 'allow' },
        provider: {
          local: {
            npm,
            name: 'local',
            options: { baseURL: `${url}/v1`, apiKey: key },
            models: { [model]: { name: model, reasoning: true, tool_call: true, limit } },
          },
        },
      };
      write({ path: join(home, '.config/opencode/opencode.json'), content });
      return {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      };
    },
    args: ({ prompt, isFirst }) => ['run', ...(isFirst ? [] : ['-c']), '-m', `local/${model}`, prompt],
  };
}

/** pi with one of its protocols. */
function pi({
  protocol,
  api,
  model,
  path,
}: {
  readonly protocol: string;
  readonly api: string;
  readonly model: string;
  readonly path: string;
}): CatalogClient {
  return {
    name: `pi-${protocol}`,
    title: 'pi',
    package: '@earendil-works/pi-coding-agent@0.87.1',
    command: 'pi',
    protocol,
    hasSubagents: false,
    configure: ({ home, url }) => {
      const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
      const entry = {
        id: model,
        name: model,
        reasoning: true,
        input: ['text'],
        contextWindow: 200_000,
        maxTokens: 16_000,
      };
      const local = { baseUrl: `${url}${path}`, api, apiKey: key, models: [{ ...entry, cost }] };
      write({ path: join(home, '.pi/agent/models.json'), content: { providers: { local } } });
      return { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' };
    },
    args: ({ prompt, isFirst }) => [
      '--provider',
      'local',
      '--model',
      model,
      '--thinking',
      'medium',
      ...(isFirst ? [] : ['-c']),
      '-p',
      prompt,
    ],
  };
}

/** Copilot CLI with a provider of the user's own. */
function copilot({
  protocol,
  type,
  model,
  path,
  wireApi,
}: {
  readonly protocol: string;
  readonly type: string;
  readonly model: string;
  readonly path: string;
  readonly wireApi?: string;
}): CatalogClient {
  return {
    name: `copilot-${protocol}`,
    // It takes the model of the Responses API to have a larger window.
    compactionScale: protocol === 'responses' ? 6 : 3,
    title: 'Copilot CLI',
    package: '@github/copilot@1.0.102',
    command: 'copilot',
    protocol,
    hasSubagents: true,
    configure: ({ url }) => ({
      COPILOT_PROVIDER_TYPE: type,
      COPILOT_PROVIDER_BASE_URL: `${url}${path}`,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: model,
      COPILOT_OFFLINE: 'true',
      ...(wireApi !== undefined && { COPILOT_PROVIDER_WIRE_API: wireApi }),
    }),
    args: ({ prompt, isFirst }) => ['-p', prompt, ...(isFirst ? [] : ['--continue']), '--allow-all-tools'],
  };
}

/** An agent on an official SDK, which is led to the gateway by the variables that SDKs read. */
function sdkAgent({ name, protocol }: { readonly name: string; readonly protocol: string }): CatalogClient {
  return {
    name: `sdk-${name}`,
    title: name,
    package: fileURLToPath(new URL('./sdk-agents', import.meta.url)),
    command: 'sdk-agent',
    protocol,
    hasSubagents: false,
    configure: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    }),
    args: ({ prompt, isFirst }) => [name, prompt, ...(isFirst ? [] : ['--continue'])],
  };
}

export const catalog: readonly CatalogClient[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    package: '@anthropic-ai/claude-code@2.1.325',
    command: 'claude',
    protocol: 'messages',
    hasSubagents: true,
    compactionPrompt: '/compact',
    configure: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: key,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      IS_SANDBOX: '1',
    }),
    args: ({ prompt, isFirst }) => [
      '-p',
      prompt,
      ...(isFirst ? [] : ['--continue']),
      '--model',
      anthropicModel,
      '--permission-mode',
      'bypassPermissions',
    ],
  },
  {
    name: 'codex',
    title: 'Codex',
    package: '@openai/codex@0.166.0',
    command: 'codex',
    protocol: 'responses',
    hasSubagents: true,
    configure: ({ home, url }) => {
      const content = [
        'model = "gpt-5.2"',
        'model_provider = "local"',
        'check_for_update_on_startup = false',
        '[model_providers.local]',
        'name = "local"',
        `base_url = "${url}/v1"`,
        'env_key = "LOCAL_KEY"',
        'wire_api = "responses"',
        '[analytics]',
        'enabled = false',
        '',
      ].join('\n');
      write({ path: join(home, '.codex/config.toml'), content });
      return { LOCAL_KEY: key, CODEX_HOME: join(home, '.codex') };
    },
    args: ({ prompt, isFirst }) => [
      'exec',
      ...(isFirst ? [] : ['resume', '--last']),
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
  },
  opencode({ protocol: 'chat', npm: '@ai-sdk/openai-compatible', model: 'local-model' }),
  opencode({ protocol: 'messages', npm: '@ai-sdk/anthropic', model: anthropicModel }),
  opencode({ protocol: 'responses', npm: '@ai-sdk/openai', model: 'gpt-5.2' }),
  pi({ protocol: 'chat', api: 'openai-completions', model: 'local-model', path: '/v1' }),
  pi({ protocol: 'messages', api: 'anthropic-messages', model: anthropicModel, path: '' }),
  pi({ protocol: 'responses', api: 'openai-responses', model: 'gpt-5.2', path: '/v1' }),
  pi({ protocol: 'gemini', api: 'google-generative-ai', model: 'gemini-2.5-pro', path: '/v1beta' }),
  {
    name: 'gemini',
    compactionScale: 16,
    repeatsResponses: true,
    title: 'Gemini CLI',
    package: '@google/gemini-cli@0.61.0',
    command: 'gemini',
    protocol: 'gemini',
    hasSubagents: true,
    configure: ({ home, url }) => {
      const content = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      };
      write({ path: join(home, '.gemini/settings.json'), content });
      return {
        GEMINI_API_KEY: key,
        GOOGLE_GEMINI_BASE_URL: url,
        GEMINI_TELEMETRY_ENABLED: 'false',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      };
    },
    args: ({ prompt, isFirst }) => [
      '-m',
      'gemini-2.5-pro',
      '--approval-mode',
      'yolo',
      ...(isFirst ? [] : ['--resume', 'latest']),
      '-p',
      prompt,
    ],
  },
  {
    name: 'qwen',
    compactionScale: 4,
    title: 'Qwen Code',
    package: '@qwen-code/qwen-code@0.24.4',
    command: 'qwen',
    protocol: 'chat',
    hasSubagents: true,
    configure: ({ home, url }) => {
      const content = {
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        telemetry: { enabled: false },
      };
      write({ path: join(home, '.qwen/settings.json'), content });
      return { OPENAI_API_KEY: key, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'local-model' };
    },
    args: ({ prompt, isFirst }) => ['--approval-mode', 'yolo', ...(isFirst ? [] : ['--continue']), '-p', prompt],
  },
  copilot({ protocol: 'chat', type: 'openai', model: 'local-model', path: '/v1', wireApi: 'completions' }),
  copilot({ protocol: 'responses', type: 'openai', model: 'gpt-5.2', path: '/v1', wireApi: 'responses' }),
  copilot({ protocol: 'messages', type: 'anthropic', model: anthropicModel, path: '' }),
  {
    name: 'continue',
    title: 'Continue',
    package: '@continuedev/cli@1.5.47',
    command: 'cn',
    protocol: 'chat',
    hasSubagents: false,
    configure: ({ home, url }) => {
      const models = [
        '  - name: local',
        '    provider: openai',
        '    model: local-model',
        '    apiBase: ADDRESS',
        `    apiKey: ${key}`,
      ];
      const content = ['name: local', 'version: 1.0.0', 'schema: v1', 'models:', ...models, ''].join('\n');
      write({ path: join(home, 'template.yaml'), content });
      return { OPENAI_BASE_URL: `${url}/v1` };
    },
    launcher:
      'sed "s|ADDRESS|$OPENAI_BASE_URL|" ~/template.yaml > ~/config.yaml && exec "$0" --config ~/config.yaml "$@"',
    args: ({ prompt, isFirst }) => ['-p', '--auto', ...(isFirst ? [] : ['--resume']), prompt],
  },
  ...['openai-chat', 'openai-agents-chat', 'aisdk-chat', 'aisdk-compat', 'langchain-openai'].map((name) =>
    sdkAgent({ name, protocol: 'chat' }),
  ),
  ...[
    'openai-responses',
    'openai-previd',
    'openai-agents',
    'aisdk-responses',
    'aisdk-store',
    'langchain-responses',
  ].map((name) => sdkAgent({ name, protocol: 'responses' })),
  ...['anthropic', 'anthropic-thread', 'aisdk-anthropic', 'langchain-anthropic', 'claude-agent'].map((name) =>
    sdkAgent({ name, protocol: 'messages' }),
  ),
  ...['genai', 'aisdk-google'].map((name) => sdkAgent({ name, protocol: 'gemini' })),
];
