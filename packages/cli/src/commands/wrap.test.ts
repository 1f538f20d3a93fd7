import { describe, expect, test } from 'vitest';
import { type MemoryWorld, memoryIo } from '../io/memory-io.ts';
import { run } from '../run.ts';

const gateway = 'http://127.0.0.1:4141';

/** Runs `longhaul wrap` and returns what the client was started with. */
async function wrapped({ argv, ...world }: MemoryWorld & { readonly argv: readonly string[] }) {
  const io = memoryIo({ cwd: '/project', ...world });
  const code = await run({ argv: ['wrap', ...argv], io });
  return { code, io, client: io.launched[0], upstreams: io.gateways[0]?.upstreams };
}

describe('the address of each client', () => {
  test('Claude Code gets a variable, and keeps searching for tools', async () => {
    const { client, upstreams } = await wrapped({ argv: ['claude', '-p', 'hi', '--json'] });
    expect(client?.args).toEqual(['-p', 'hi', '--json']);
    expect(client?.env).toMatchObject({ ANTHROPIC_BASE_URL: `${gateway}/anthropic`, ENABLE_TOOL_SEARCH: 'true' });
    expect(upstreams).toEqual({ anthropic: 'https://api.anthropic.com' });
  });

  test('an address in a settings file of Claude Code is the upstream, and is overridden', async () => {
    const { client, upstreams } = await wrapped({
      argv: ['claude', '--settings', '{"model":"opus"}', '-p', 'hi'],
      files: { '/home/me/.claude/settings.json': '{ "env": { "ANTHROPIC_BASE_URL": "https://proxy.example/a" } }' },
      env: { ANTHROPIC_BASE_URL: 'https://ignored.example' },
    });
    const [flag, settings, ...rest] = client?.args ?? [];
    expect([flag, rest]).toEqual(['--settings', ['-p', 'hi']]);
    expect(JSON.parse(settings ?? '')).toEqual({
      model: 'opus',
      env: { ANTHROPIC_BASE_URL: `${gateway}/anthropic` },
    });
    expect(upstreams).toEqual({ anthropic: 'https://proxy.example/a' });
  });

  test('Claude Code on Bedrock runs without a gateway, and says so', async () => {
    const { client, io } = await wrapped({ argv: ['claude'], env: { CLAUDE_CODE_USE_BEDROCK: '1' } });
    expect(io.gateways).toEqual([]);
    expect(client?.env).toEqual({ CLAUDE_CODE_USE_BEDROCK: '1' });
    expect(io.printed.stderr).toContain('Amazon Bedrock');
  });

  test.each([
    ['no configuration', {}, 'openai_base_url', 'https://api.openai.com/v1', '/openai/v1'],
    [
      'a login with ChatGPT',
      { '/home/me/.codex/auth.json': '{"OPENAI_API_KEY":null,"tokens":{"access_token":"x"}}' },
      'openai_base_url',
      'https://chatgpt.com/backend-api/codex',
      '/openai',
    ],
    [
      'a provider of its own',
      {
        '/home/me/.codex/config.toml':
          'model_provider = "corp"\n[model_providers.corp]\nbase_url = "https://llm.corp.example/api/v1"\n',
      },
      'model_providers.corp.base_url',
      'https://llm.corp.example/api/v1',
      '/corp/v1',
    ],
  ])('Codex with %s', async (_, files, key, upstream, path) => {
    const { client, upstreams } = await wrapped({ argv: ['codex', 'exec', 'hi'], files });
    expect(client?.args).toEqual(['-c', `${key}="${gateway}${path}"`, 'exec', 'hi']);
    expect(Object.values(upstreams ?? {})).toEqual([upstream]);
  });

  test('an override on the command line of Codex is the upstream, and is replaced', async () => {
    const { client, upstreams } = await wrapped({
      argv: ['codex', '-c', 'openai_base_url="http://127.0.0.1:9/v1"', 'exec', 'hi'],
    });
    expect(client?.args).toEqual(['-c', `openai_base_url="${gateway}/openai/v1"`, 'exec', 'hi']);
    expect(upstreams).toEqual({ openai: 'http://127.0.0.1:9/v1' });
  });

  test('opencode gets every provider with a key or an address, and no other', async () => {
    const { client, upstreams } = await wrapped({
      argv: ['opencode', 'run', 'hi'],
      env: { OPENAI_API_KEY: 'x', OPENCODE_CONFIG_CONTENT: '{"theme":"dark"}' },
      files: {
        '/project/opencode.json':
          '{ "provider": { "local": { "npm": "@ai-sdk/openai-compatible", "options": { "baseURL": "http://127.0.0.1:9/v1" } } } }',
      },
    });
    expect(JSON.parse(client?.env.OPENCODE_CONFIG_CONTENT ?? '')).toEqual({
      theme: 'dark',
      provider: {
        local: { options: { baseURL: `${gateway}/local/v1` } },
        openai: { options: { baseURL: `${gateway}/openai/v1` } },
      },
    });
    expect(upstreams).toEqual({ local: 'http://127.0.0.1:9/v1', openai: 'https://api.openai.com/v1' });
  });

  test('pi gets an extension in a temporary folder that is removed', async () => {
    const { client, upstreams, io } = await wrapped({
      argv: ['pi', '-p', 'hi'],
      files: {
        '/tmp/longhaul-demo/any': '',
        '/home/me/.pi/agent/models.json':
          '{ "providers": { "my server": { "baseUrl": "http://127.0.0.1:9/v1", "api": "openai-completions" } } }',
      },
    });
    expect(client?.args).toEqual(['--extension', expect.stringMatching(/\.js$/), '-p', 'hi']);
    expect(Buffer.from(io.content.get(client?.args[1] ?? '') ?? []).toString()).toContain(
      `"my server": "${gateway}/upstream-1/v1"`,
    );
    expect(upstreams).toMatchObject({
      'upstream-1': 'http://127.0.0.1:9/v1',
      anthropic: 'https://api.anthropic.com',
    });
  });

  test.each([
    ['gemini', {}, 'GOOGLE_GEMINI_BASE_URL', '/gemini', 'https://generativelanguage.googleapis.com'],
    ['qwen', { OPENAI_BASE_URL: 'https://q.example/v1' }, 'OPENAI_BASE_URL', '/qwen/v1', 'https://q.example/v1'],
    [
      'copilot',
      { COPILOT_PROVIDER_BASE_URL: 'https://c.example/v1' },
      'COPILOT_PROVIDER_BASE_URL',
      '/copilot/v1',
      'https://c.example/v1',
    ],
  ])('%s gets a variable', async (name, env, variable, path, upstream) => {
    const { client, upstreams } = await wrapped({ argv: [name, 'x'], env });
    expect(client?.env[variable]).toBe(`${gateway}${path}`);
    expect(Object.values(upstreams ?? {})).toEqual([upstream]);
  });

  test('a client without an address to forward to is an error with the variable to set', async () => {
    const { code, io } = await wrapped({ argv: ['copilot'] });
    expect(code).toBe(2);
    expect(io.launched).toEqual([]);
    expect(io.printed.stderr).toContain('COPILOT_PROVIDER_BASE_URL');
  });
});

describe('other commands', () => {
  test('get the variables that SDKs read', async () => {
    const { client } = await wrapped({ argv: ['./agent', '--flag'] });
    expect(client).toMatchObject({
      command: './agent',
      args: ['--flag'],
      env: { OPENAI_BASE_URL: `${gateway}/openai/v1`, ANTHROPIC_BASE_URL: `${gateway}/anthropic` },
    });
  });

  test('get the variables named with --env; what one held before is the upstream', async () => {
    const { client, upstreams } = await wrapped({
      argv: ['--env', 'LLM={openai}/x', '--env', 'MODE=fast', 'agent'],
      env: { LLM: 'http://127.0.0.1:9/v1' },
    });
    expect(client?.env).toEqual({ LLM: `${gateway}/openai-LLM/v1/x`, MODE: 'fast' });
    expect(upstreams).toEqual({ 'openai-LLM': 'http://127.0.0.1:9/v1' });
  });

  test('get the configured address in every variable of its provider, also in those that were not set', async () => {
    const { client, upstreams } = await wrapped({ argv: ['agent'], env: { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' } });
    expect(client?.env).toMatchObject({
      OPENAI_BASE_URL: `${gateway}/openai-OPENAI_BASE_URL/v1`,
      OPENAI_API_BASE: `${gateway}/openai-OPENAI_BASE_URL/v1`,
    });
    expect(upstreams).toMatchObject({ 'openai-OPENAI_BASE_URL': 'http://127.0.0.1:9/v1' });
  });

  test('--env that is no variable is an error', async () => {
    const { code, io } = await wrapped({ argv: ['--env', '1=2', 'agent'] });
    expect([code, io.launched]).toEqual([2, []]);
    expect(io.printed.stderr).toContain('--env NAME=VALUE');
  });
});

test('--upstream replaces the address of a provider, and must name one', async () => {
  const { upstreams } = await wrapped({ argv: ['--upstream', 'anthropic=http://127.0.0.1:9', 'claude'] });
  expect(upstreams).toEqual({ anthropic: 'http://127.0.0.1:9' });
  const { code, io } = await wrapped({ argv: ['--upstream', 'gemini=http://127.0.0.1:9', 'claude'] });
  expect(code).toBe(2);
  expect(io.printed.stderr).toContain('anthropic');
});

test('with an HTTP proxy the client reaches the gateway directly, and the gateway uses the proxy', async () => {
  const env = { HTTPS_PROXY: 'http://proxy.example:3128', NO_PROXY: 'corp.example' };
  const { client, io } = await wrapped({ argv: ['gemini'], env });
  expect(client?.env.NO_PROXY).toBe('corp.example,127.0.0.1,localhost');
  expect(io.gateways[0]?.env).toBe(io.env);
});

test('flags of the gateway go before the client, its own after it', async () => {
  const { client, io } = await wrapped({ argv: ['--window', '48k', '--recall', 'claude', '--window', '1', '--help'] });
  expect(io.gateways[0]).toMatchObject({ window: 48_000, recall: true });
  expect(client?.args).toEqual(['--window', '1', '--help']);
});

test('two lines at the end: what was saved, and how to look inside', async () => {
  const totals = {
    requests: 61,
    tokensReceived: 1_200_000,
    tokensForwarded: 300_000,
    compactions: 3,
    dollarsSaved: 1.5,
    sessions: ['019b7ca9-1234-7000-8000-000000000000'],
  };
  const { io } = await wrapped({ argv: ['claude'], totals });
  expect(io.printed.stderr).toBe(
    `longhaul: 61 requests, 3 compactions; saved 900,000 of 1,200,000 input tokens (75 %), $1.50.
longhaul: look inside with: longhaul context 019b7ca9-1234 · longhaul search --session 019b7ca9-1234 TEXT
`,
  );
});

test('a gateway that cannot be started does not keep the client from running', async () => {
  const { code, client, io } = await wrapped({
    argv: ['claude', '-p', 'hi'],
    gatewayFailure: new Error('database or disk is full'),
  });
  expect(code).toBe(0);
  expect(client).toMatchObject({ args: ['-p', 'hi'], env: {} });
  expect(io.printed.stderr).toBe(
    'longhaul: The gateway could not be started, so Claude Code runs without it: database or disk is full\n',
  );
});
