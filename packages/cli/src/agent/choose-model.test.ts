import { modelInfo } from 'longhaul/models';
import { expect, test } from 'vitest';
import { memoryIo } from '../io/memory-io.ts';
import { settingsSchema } from '../settings/schema.ts';
import { chooseModel, defaultModels } from './choose-model.ts';
import { secretsOf } from './secrets-of.ts';

const { limits } = settingsSchema.parse({});

test('the default models are in the catalog', () => {
  for (const name of Object.values(defaultModels))
    expect(modelInfo({ name: name.split('/').slice(1).join('/') }).known).toBe(true);
});

test.each([
  [{ ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' }, 'anthropic'],
  [{ OPENAI_API_KEY: 'b', GEMINI_API_KEY: 'c' }, 'openai'],
  [{ GEMINI_API_KEY: 'c' }, 'google'],
  [{ OPENROUTER_API_KEY: 'd' }, 'openrouter'],
])('with %j the first provider is asked', async (env, provider) => {
  const { id } = await chooseModel({ values: { model: 'auto', limits }, io: memoryIo({ env }) });
  expect(id.provider).toBe(provider);
});

test('a configured window applies and leaves room for the request', async () => {
  const values = { model: 'anthropic/claude-sonnet-5', window: 32_000, limits };
  const { info } = await chooseModel({ values, io: memoryIo({ env: { ANTHROPIC_API_KEY: 'a' } }) });
  expect(info).toMatchObject({ window: 32_000, maxOutput: 8_000 });
});

test('values of keys are secrets, under whatever name; short ones and others are none', () => {
  const env = {
    OPENAI_API_KEY: 'sk-12345678',
    MY_TOKEN: ' abcdefgh1 ',
    DB_PASSWORD: 'hunter2!!',
    KEY: 'abc',
    HOME: '/home/me',
  };
  expect(secretsOf({ ...env, AGAIN_KEY: 'sk-12345678' })).toEqual(['sk-12345678', 'abcdefgh1', 'hunter2!!']);
});
