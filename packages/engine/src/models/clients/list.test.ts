import { expect, it } from 'vitest';
import { startLoopback } from '../../testing/loopback/index.ts';
import { listModels } from './list.ts';
import { localUrl } from './settings.ts';

it('says who can be asked and what is missing for the others, and sends nothing', async () => {
  const env = { OPENAI_API_KEY: 'a-secret', ANTHROPIC_BASE_URL: 'https://user:password@gateway.example' };
  const fetch = () => Promise.reject(new Error('Nothing is to be sent.'));
  const listed = await listModels({ env, fetch });
  expect(listed.map(({ provider, configured }) => [provider, configured])).toEqual([
    ['anthropic', true],
    ['openai', true],
    ['openai-chat', true],
    ['google', false],
    ['openrouter', false],
    ['local', false],
  ]);
  expect(listed[0]).toMatchObject({ from: 'ANTHROPIC_BASE_URL' });
  expect(listed[3]?.missing).toBe('GEMINI_API_KEY or GOOGLE_API_KEY is not set.');
  expect(listed[1]?.models).toContain('openai/gpt-5');
  for (const value of ['a-secret', 'password']) expect(JSON.stringify(listed)).not.toContain(value);
});

it('queries local servers for their models on request', async () => {
  const loopback = await startLoopback({ models: ['one', 'two'] });
  try {
    const found = await listModels({ env: {}, probe: [`${loopback.url}/v1`, 'http://127.0.0.1:1/v1'] });
    expect(found.filter(({ provider }) => provider === 'local')).toEqual([
      {
        provider: 'local',
        configured: true,
        server: 'local',
        baseUrl: `${loopback.url}/v1`,
        models: ['local/one', 'local/two'],
      },
    ]);
    const env = { LONGHAUL_LOCAL_URL: 'http://127.0.0.1:1' };
    expect((await listModels({ env, probe: true })).at(-1)).toMatchObject({
      configured: false,
      missing: 'No server answers at http://127.0.0.1:1/v1.',
    });
  } finally {
    await loopback.close();
  }
});

it.each([
  ['0.0.0.0', 'http://127.0.0.1:11434/v1'],
  ['0.0.0.0:9999', 'http://127.0.0.1:9999/v1'],
  [':11434', 'http://127.0.0.1:11434/v1'],
  ['gpu.local', 'http://gpu.local:11434/v1'],
  ['http://gpu.local:8080/', 'http://gpu.local:8080/v1'],
  ['https://gpu.local/api/v1/', 'https://gpu.local/api/v1'],
])('OLLAMA_HOST=%s is %s', (value, url) => {
  expect(localUrl(value)).toBe(url);
});
