import { type LoopbackOptions, startLoopback } from 'longhaul/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { misbehaviors, serveMisbehavior } from '../../packages/engine/src/models/clients/fixtures/hostile-server.ts';
import { folder, longhaul } from './longhaul.ts';
import { world } from './world.ts';

/** Nothing listens there. */
const nowhere = 'http://127.0.0.1:9';

async function provider(options: LoopbackOptions = {}) {
  const loopback = await startLoopback(options);
  onTestFinished(() => loopback.close());
  const env = {
    ANTHROPIC_BASE_URL: loopback.url,
    ANTHROPIC_API_KEY: 'sk-ant-secret-key',
    OPENAI_API_KEY: 'sk-openai-key',
    OPENAI_BASE_URL: `${loopback.url}/v1`,
    GOOGLE_GEMINI_BASE_URL: loopback.url,
    GEMINI_API_KEY: 'AIza-key',
    LONGHAUL_LOCAL_URL: `${loopback.url}/v1`,
  };
  return { loopback, env };
}

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  longhaul({ args, cwd: folder(), env: { LONGHAUL_LOCAL_URL: nowhere, ...env } });

describe('longhaul models', () => {
  test('says what is missing where nothing is configured', async () => {
    const { code, stdout, stderr } = await run(['models']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^No provider is configured\./);
    expect(stdout).toContain('  anthropic    ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN is not set.\n');
    expect(stdout).toMatch(/\n {2}local +No server answers at http:\/\/127\.0\.0\.1:9/);
  });

  test('lists windows and prices, where the key comes from, and never the key', async () => {
    const { env } = await provider({ models: ['qwen3'] });
    const { code, stdout } = await run(['models'], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^anthropic {2}at http:\S+, key from ANTHROPIC_API_KEY, address from ANTHROPIC_BASE_URL\n/);
    expect(stdout).toMatch(/\n {2}anthropic\/claude-opus-5 +1,000,000 tokens +\$5 in, \$25 out, \$0\.5 cached\n/);
    expect(stdout).toMatch(/\n {2}local\/qwen3 +window unknown\n/);
    expect(stdout).not.toContain('secret-key');
  });

  test('as data has all of it, also what is not configured', async () => {
    const { code, stdout } = await run(['models', '--json'], { OPENAI_API_KEY: 'sk-x' });
    const { providers } = JSON.parse(stdout);
    expect(code).toBe(0);
    const named = (name: string) => providers.find((each: { provider: string }) => each.provider === name);
    expect(named('openai')).toMatchObject({ configured: true, missing: null, keyFrom: 'OPENAI_API_KEY' });
    expect(named('anthropic')).toMatchObject({ configured: false, keyFrom: null });
    expect(named('anthropic').models).toContainEqual(
      expect.objectContaining({ name: 'anthropic/claude-opus-5', window: 1_000_000 }),
    );
  });
});

describe('longhaul models check', () => {
  test.each([
    ['anthropic/claude-opus-5', 'anthropic'],
    ['openai/gpt-5', 'openai-responses'],
    ['google/gemini-2.5-pro', 'gemini'],
    ['local/qwen3', 'openai-chat'],
  ])('%s answers: how long, how much', async (name, dialect) => {
    const { env, loopback } = await provider({ script: [{ text: 'ready' }], models: ['qwen3'] });
    const { code, stdout, stderr } = await run(['models', 'check', name], env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${name} responds: "ready"\n`);
    expect(stdout).toMatch(/\n {2}\d+\.\d s to the first token, \d+\.\d s in total; \d+ tokens in, \d+ out/);
    const calls = loopback.requests.filter(({ method }) => method === 'POST');
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ dialect, verdict: { legal: true } });
  });

  test.each([
    ['auth', 'Check the key'],
    ['quota', 'Add credit'],
    ['rate', 'try again later'],
    ['network', 'Check the address'],
    ['invalid', 'Check the model name'],
  ] as const)('a failure (%s) is one sentence, and another that says what to do', async (failure, next) => {
    const { env, loopback } = await provider({ script: [{ failure }] });
    const { code, stdout, stderr } = await run(['models', 'check', 'anthropic/claude-opus-5'], env);
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^anthropic\/claude-opus-5 does not respond: [^\n]+\n {2}[^\n]+\n$/);
    expect(stdout).toContain(next);
    expect(loopback.requests).toHaveLength(1);
  });

  test.each([
    ['a line without end', ['--limits-answer-bytes', '100000'], 'larger than 100000 bytes'],
    ['a redirect to another origin with 307', [], 'redirected to another origin'],
    ['silence after the head', ['--limits-idle-seconds', '1'], 'Nothing came for 1 s'],
    ['a byte now and then', ['--limits-total-seconds', '1'], 'took longer than 1 s'],
  ])('an endpoint with %s is given up, with the reason', async (name, args, reason) => {
    const { answer } = misbehaviors.find((each) => each.name === name) ?? {};
    if (!answer) throw new Error(`There is no misbehavior called ${name}.`);
    await using server = await serveMisbehavior({ answer });
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-ant-secret-key' };
    const { code, stdout } = await run(['models', 'check', 'anthropic/claude-opus-5', ...args], env);
    expect(code).toBe(1);
    expect(stdout).toContain(reason);
    expect(server.seen.elsewhere).toBe(0);
  });

  test('as data', async () => {
    const { env } = await provider({ script: [{ text: 'ready' }] });
    const { stdout } = await run(['models', 'check', 'anthropic/claude-opus-5', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'anthropic/claude-opus-5',
      answers: true,
      dialect: 'anthropic',
      window: 1_000_000,
      text: 'ready',
      ms: { all: expect.any(Number) },
      usage: { output: expect.any(Number) },
      failure: null,
    });
  });

  test('a model without a key, and one without a provider, cannot be used', async () => {
    const missing = await run(['models', 'check', 'anthropic/claude-opus-5']);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('ANTHROPIC_API_KEY');
    const unknown = await run(['models', 'check', 'acme/large']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('acme');
  });
});

test('compact asks a model by its name for the words of a summary, and tags the call', async () => {
  const words = '<summary><title>Clocks</title>\n## Progress\nThe springs were counted.</summary>';
  const { env, loopback } = await provider({ script: () => ({ text: words }) });
  const { call, file } = world({ env });
  const messages = Array.from({ length: 60 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Spring ${at}: ${'it was counted twice. '.repeat(40)}`,
  }));
  file('chat.json', JSON.stringify({ model: 'claude-opus-4-5', max_tokens: 10, system: 'Be brief.', messages }));
  expect((await call('import', 'chat.json')).code).toBe(0);
  const args = ['--window', '16000', '--summarizer', 'model', '--summary-model', 'anthropic/claude-haiku-4-5'];
  const { code, stdout, stderr } = await call('compact', 'last', ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('claude-haiku-4-5');
  expect(loopback.requests[0]?.headers['x-interaction-type']).toBe('conversation-compaction');
  expect(loopback.requests.map(({ verdict }) => verdict?.legal)).not.toContain(false);
  const shown = await call('show', 'last', '--json');
  expect(shown.stdout).toContain('The springs were counted.');
});

test('compact without a model says how to name one', async () => {
  const { call, file } = world();
  file('chat.json', JSON.stringify([{ role: 'user', content: 'hi' }]));
  await call('import', 'chat.json');
  const { code, stderr } = await call('compact', 'last', '--summarizer', 'model');
  expect(code).toBe(2);
  expect(stderr).toContain('--summary-model NAME');
});
