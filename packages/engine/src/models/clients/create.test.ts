import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { LonghaulError } from '../../errors.ts';
import { startLoopback } from '../../testing/loopback/index.ts';
import { createModel } from './create.ts';
import { ask, say } from './fixtures/connect.ts';
import { serve, sse } from './fixtures/raw-server.ts';
import { listModels } from './list.ts';

async function errorOf(promise: Promise<unknown>): Promise<LonghaulError> {
  try {
    await promise;
  } catch (error) {
    if (LonghaulError.is(error)) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('a name', () => {
  it.each([
    ['anthropic/claude-opus-5', 'anthropic', 'anthropic'],
    ['openai/gpt-5', 'openai', 'openai-responses'],
    ['openai-chat/gpt-5', 'openai', 'openai-chat'],
    ['gemini/gemini-3.8-flash', 'google', 'gemini'],
    ['openrouter/anthropic/claude-opus-5', 'openrouter', 'openai-chat'],
    ['claude-opus-5', 'anthropic', 'anthropic'],
  ])('%s is a model of %s, spoken to in %s', async (name, provider, dialect) => {
    const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'];
    const env = Object.fromEntries(keys.map((key) => [key, 'k']));
    const model = await createModel({ name, env });
    expect(model).toMatchObject({ id: { provider }, dialect });
    expect(model.info.window).toBeGreaterThan(100_000);
  });

  it.each([
    ['opus', 'anthropic', /^claude-opus-5-5$/],
    ['Sonnet', 'anthropic', /^claude-sonnet-/],
    ['anthropic/haiku', 'anthropic', /^claude-haiku-/],
    ['gpt', 'openai', /^gpt-/],
    ['gemini', 'google', /^gemini-/],
  ])('%s is the newest of its family in the tables', async (name, provider, pattern) => {
    const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'];
    const { id, info } = await createModel({ name, env: Object.fromEntries(keys.map((key) => [key, 'k'])) });
    expect({ provider: id.provider, known: info.known }).toEqual({ provider, known: true });
    expect(id.name).toMatch(pattern);
    const version = (text: string) => Number(/(\d+)(?:[.-](\d+))?/.exec(text)?.slice(1, 3).join('.'));
    const family = (await listModels({ env: {} }))
      .flatMap(({ models }) => models)
      .filter((each) => each.startsWith(`${provider}/${/^[a-z-]+-/.exec(id.name)?.[0]}`));
    expect(version(id.name)).toBe(Math.max(...family.map(version).filter((each) => each < 100)));
  });

  it.each([
    ['anthropic/claude-opus-99', 'https://api.anthropic.com/v1/models/claude-opus-99', 'x-api-key'],
    ['openai/gpt-99', 'https://api.openai.com/v1/models/gpt-99', 'authorization'],
    ['google/gemini-99', 'https://generativelanguage.googleapis.com/v1beta/models/gemini-99', 'x-goog-api-key'],
    ['openrouter/some/new-model', 'https://openrouter.ai/api/v1/models', 'authorization'],
  ])('%s, which is not in the tables, is used only if the provider confirms it', async (name, url, header) => {
    const keys = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'];
    const env = Object.fromEntries(keys.map((key) => [key, 'a-key']));
    const answering = (status: number, body = '{"data":[{"id":"some/new-model"}]}') =>
      vi.fn(async (..._: Parameters<typeof globalThis.fetch>) => new Response(body, { status }));
    const yes = answering(200);
    expect((await createModel({ name, env, fetch: yes, verify: true })).info.known).toBe(false);
    const [asked, request] = yes.mock.calls[0] ?? [];
    expect(String(asked)).toBe(url);
    expect(JSON.stringify([...new Headers(request?.headers)])).toMatch(new RegExp(`${header}[^,]*,[^,]*a-key`));
    for (const fetch of [answering(404, '{}'), answering(401), answering(500)]) {
      const error = await errorOf(createModel({ name, env, fetch, verify: true }));
      expect(error).toMatchObject({ code: 'model-unknown', message: expect.stringContaining(name) });
    }
    const own = { ...env, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', OPENAI_BASE_URL: 'http://127.0.0.1:9' };
    const other = { ...own, GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9', OPENROUTER_BASE_URL: 'http://127.0.0.1:9' };
    // A server of the user may not list its models.
    expect((await createModel({ name, env: other, fetch: answering(404, '{}'), verify: true })).id).toBeDefined();
  });

  it('in the tables is used without asking the provider', async () => {
    const fetch = vi.fn();
    await createModel({ name: 'anthropic/claude-opus-5', env: { ANTHROPIC_API_KEY: 'k' }, fetch, verify: true });
    expect(fetch).not.toHaveBeenCalled();
  });

  it.each(['', 'nobody/x', 'a-model-that-nobody-knows', 'anthropic/'])('«%s» says what to do', async (name) => {
    const error = await errorOf(createModel({ name, env: {} }));
    expect(error).toMatchObject({ code: 'model-name' });
    expect(error.hint).toMatch(/with one of anthropic, |Use one of anthropic, /);
  });

  it('without its key says which is missing', async () => {
    const error = await errorOf(createModel({ name: 'google/gemini-3.8-flash', env: {} }));
    expect(error).toMatchObject({ code: 'model-not-configured' });
    expect(error.message).toContain('GEMINI_API_KEY or GOOGLE_API_KEY is not set');
  });
});

describe('the environment', () => {
  it.each([
    ['openai/m', 'OPENAI_BASE_URL', 'nonsense'],
    ['anthropic/m', 'ANTHROPIC_BASE_URL', 'localhost:8080'],
  ])('%s with %s=%s says what is wrong with it', async (name, from, url) => {
    const error = await errorOf(createModel({ name, env: { [from]: url } }));
    expect(error).toMatchObject({ code: 'model-not-configured' });
    expect(error.message).toContain(`${from} is no address`);
    expect(error.hint).toContain(`${from} as https://`);
  });

  it('a closed port is named in the failure', async () => {
    const model = await createModel({
      name: 'openai/gpt-5',
      baseUrl: 'http://127.0.0.1:9/v1',
      apiKey: 'k',
      retry: false,
    });
    const { end } = await ask(model);
    expect(end).toMatchObject({ reason: 'failed', failure: { kind: 'network' } });
    expect(end.failure?.message).toMatch(/127\.0\.0\.1:9|bad port/);
  });

  it.each([
    ['anthropic/m', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', ''],
    ['anthropic/m', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL', '/'],
    ['anthropic/m', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', '/v1/'],
    ['openai/m', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', '/v1'],
    ['google/m', 'GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', ''],
    ['google/m', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', '/v1beta'],
    ['openrouter/m', 'OPENROUTER_API_KEY', 'OPENROUTER_BASE_URL', '/v1'],
  ])('%s takes its key from %s and its place from %s', async (name, key, url, path) => {
    const loopback = await startLoopback({ apiKey: 'the-right-key' });
    try {
      const env = { [key]: 'the-right-key', [url]: `${loopback.url}${path}` };
      const model = await createModel({ name, env });
      expect((await ask(model, { items: [say('Hi')] })).end.reason).toBe('stop');
    } finally {
      await loopback.close();
    }
  });

  it('that sets another base URL for OpenAI, with an unknown model, means a compatible server', async () => {
    const at = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' };
    const dialectOf = async (name: string, env: Record<string, string>) => (await createModel({ name, env })).dialect;
    expect(await dialectOf('openai/our-own', at)).toBe('openai-chat');
    expect(await dialectOf('openai/gpt-5', at)).toBe('openai-responses');
    expect(await dialectOf('openai/our-own', { OPENAI_API_KEY: 'k' })).toBe('openai-responses');
  });

  it('names headers for its own provider, and what the process names for one never reaches another', async () => {
    const loopback = await startLoopback();
    const mine = { OPENAI_API_KEY: 'k', OPENAI_ORG_ID: 'org', OPENAI_CUSTOM_HEADERS: 'X-Gate: open\nX-More: a:b' };
    const theirs = { OPENAI_ORG_ID: 'leak', OPENAI_PROJECT_ID: 'leak', OPENAI_CUSTOM_HEADERS: 'X-Gate: leak' };
    const anthropic = { ANTHROPIC_CUSTOM_HEADERS: 'X-Gate: leak' };
    for (const [name, value] of Object.entries({ ...theirs, ...anthropic })) vi.stubEnv(name, value);
    try {
      const baseUrl = `${loopback.url}/v1`;
      await ask(await createModel({ name: 'openai-chat/m', env: mine, baseUrl }));
      await ask(await createModel({ name: 'openrouter/m', env: { OPENROUTER_API_KEY: 'k' }, baseUrl }));
      await ask(await createModel({ name: 'anthropic/m', env: {}, baseUrl: loopback.url }));
    } finally {
      vi.unstubAllEnvs();
      await loopback.close();
    }
    const [own, ...others] = loopback.requests.map(({ headers }) => headers);
    expect(own).toMatchObject({ 'openai-organization': 'org', 'x-gate': 'open', 'x-more': 'a:b' });
    expect(others).toHaveLength(2);
    expect(JSON.stringify([own, ...others])).not.toContain('leak');
  });

  it('of the process is not asked where another is given', async () => {
    const error = await errorOf(createModel({ name: 'anthropic/m', env: { OPENAI_API_KEY: 'k' } }));
    expect(error.code).toBe('model-not-configured');
  });
});

describe('a key', () => {
  const secret = 'correct horse battery staple 0123456789';
  const headers = { 'x-team-secret': 'another-secret-value' };

  it('is nowhere in the model', async () => {
    const model = await createModel({ name: 'anthropic/m', env: { ANTHROPIC_API_KEY: secret }, headers });
    for (const shown of [JSON.stringify(model), inspect(model, { depth: 9, showHidden: true })])
      for (const value of [secret, 'another-secret-value']) expect(shown).not.toContain(value);
  });

  it.each(['anthropic/m', 'openai/m', 'openai-chat/m', 'google/m'])('is in no failure of %s', async (name) => {
    await using server = await serve((request, response) => {
      // Without the names that would give a key away.
      const said = Object.values(request.headers).join(' ').replace('Bearer ', '');
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: `What is this? ${said}` } }));
    });
    const apiKey = 'opaquesecret0123456789';
    const model = await createModel({ name, env: {}, baseUrl: server.url, apiKey, headers, retry: false });
    const { end } = await ask(model);
    expect(end).toMatchObject({ reason: 'failed' });
    expect(end.failure?.message).toContain('What is this?');
    for (const value of [apiKey, 'another-secret-value']) expect(inspect(end, { depth: 9 })).not.toContain(value);
  });
});

describe('a server of one’s own', () => {
  it('is found at its place, with the window it says, and needs no key', async () => {
    const asked: string[] = [];
    await using server = await serve((request, response) => {
      asked.push(request.url ?? '');
      const models = { data: [{ id: 'qwen', max_model_len: 32_768 }] };
      if (request.url === '/v1/models') return void response.end(JSON.stringify(models));
      response.setHeader('content-type', 'text/event-stream');
      response.end(sse([{ choices: [{ delta: { content: 'Yes.' }, finish_reason: 'stop' }] }, '[DONE]']));
    });
    const env = { LONGHAUL_LOCAL_URL: server.url };
    const model = await createModel({ name: 'local/', env });
    expect(model).toMatchObject({ id: { provider: 'local', name: 'qwen' }, info: { window: 32_768, known: true } });
    expect((await ask(model)).end).toMatchObject({ reason: 'stop', message: { parts: [{ text: 'Yes.' }] } });
    expect(asked).toEqual(['/v1/models', '/v1/chat/completions']);
  });

  it('Ollama says the window it runs a model with, or its own setting does', async () => {
    const answers: Record<string, object> = {
      '/v1/models': { data: [{ id: 'qwen3:8b' }, { id: 'other' }] },
      '/api/ps': { models: [{ name: 'qwen3:8b', context_length: 8192 }] },
    };
    const fetch = async (input: string | URL | Request) => Response.json(answers[new URL(String(input)).pathname]);
    const env = { OLLAMA_HOST: '0.0.0.0', OLLAMA_CONTEXT_LENGTH: '4096' };
    const windowOf = async (name: string) => (await createModel({ name, env, fetch })).info.window;
    expect(await windowOf('local/qwen3:8b')).toBe(8192);
    expect(await windowOf('local/other')).toBe(4096);
  });

  it('that does not list its models can be named all the same', async () => {
    await using server = await serve((_, response) => void response.writeHead(404).end());
    const model = await createModel({ name: 'local/mine', env: {}, baseUrl: server.url });
    expect(model.id).toEqual({ provider: 'local', name: 'mine' });
  });

  it('is looked for on the usual ports only when a local model is asked for', async () => {
    const tried: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      tried.push(String(input));
      throw new TypeError('fetch failed');
    };
    const error = await errorOf(createModel({ name: 'local/x', env: {}, fetch }));
    expect(error).toMatchObject({ code: 'model-not-configured' });
    expect(error.hint).toContain('Ollama');
    expect(tried.map((url) => new URL(url).port)).toEqual(['11434', '8080', '1234', '8000']);
    tried.length = 0;
    await createModel({ name: 'openai/gpt-5', env: { OPENAI_API_KEY: 'k' }, fetch });
    expect(tried).toEqual([]);
  });
});

it.each([
  ['takes more than its window and answers', ['silentOverflow'], { text: 'Yes.', usage: { input: 3000, output: 5 } }],
  ['fills its window and has no room to answer', [], { stop: 'length', usage: { input: 1995, output: 0 } }],
] as const)('a provider that %s has overflowed', async (_, quirks, said) => {
  const usage = { cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0, ...said.usage };
  const loopback = await startLoopback({ script: [{ ...said, usage }] });
  try {
    const extra = [{ match: ['m'], window: 2000, quirks }];
    const model = await createModel({ name: 'openai-chat/m', env: {}, baseUrl: `${loopback.url}/v1`, extra });
    const { end } = await ask(model);
    expect(end).toMatchObject({ reason: 'failed', failure: { kind: 'overflow', limit: 2000, used: usage.input } });
  } finally {
    await loopback.close();
  }
});

it('a beta of the caller and one of ours go out together', async () => {
  const loopback = await startLoopback();
  try {
    const headers = { 'Anthropic-Beta': 'theirs-2026-01-01', 'x-team': 'blue' };
    const model = await createModel({ name: 'anthropic/claude-opus-5-5', env: {}, baseUrl: loopback.url, headers });
    await ask(model, { options: { rebindsThinking: true } });
    await ask(model);
    const sent = loopback.requests.map((request) => request.headers);
    expect(sent[0]?.['anthropic-beta']).toBe('theirs-2026-01-01,thinking-binding-controls-2026-08-01');
    expect(sent[1]).toMatchObject({ 'anthropic-beta': 'theirs-2026-01-01', 'x-team': 'blue' });
  } finally {
    await loopback.close();
  }
});
