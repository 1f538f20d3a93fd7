import { describe, expect, test } from 'vitest';
import data from '../data/token-families.json' with { type: 'json' };
import { builtinProviders } from './builtin.ts';
import { modelInfo } from './info.ts';
import { modelSchemas } from './schema.ts';
import { tokenFamilies, tokenFamilyOf } from './token-family.ts';

const familyOf = (name: string, provider?: string) => tokenFamilyOf({ name, provider })?.family;

test('the file fits its schema', () => {
  expect(modelSchemas().families.safeParse(data).error?.issues).toBeUndefined();
});

test('only a public vocabulary may have a margin below a tenth, and a measured one says by how much', () => {
  for (const { encoding, margin, measured, note } of tokenFamilies) {
    if (encoding === 'unknown') expect(margin).toBeGreaterThanOrEqual(0.1);
    expect(encoding !== 'unknown' || measured !== undefined || note !== undefined).toBe(true);
  }
});

describe('names', () => {
  test.each([
    ['gpt-4o', 'openai-o200k'],
    ['gpt-4o-mini-2024-07-18', 'openai-o200k'],
    ['chatgpt-4o-latest', 'openai-o200k'],
    ['openai/gpt-4.1', 'openai-o200k'],
    ['azure/gpt-4.1-nano-2025-04-14', 'openai-o200k'],
    ['openrouter/openai/gpt-5.4', 'openai-o200k'],
    ['github-copilot/gpt-5.3-codex-spark', 'openai-o200k'],
    ['GPT-5', 'openai-o200k'],
    ['gpt-5-chat-latest', 'openai-o200k'],
    ['openai.gpt-5.1-codex-max', 'openai-o200k'],
    ['o1-preview-2024-09-12', 'openai-o200k'],
    ['o3', 'openai-o200k'],
    ['o4-mini-deep-research', 'openai-o200k'],
    ['codex-mini-latest', 'openai-o200k'],
    ['gpt-4', 'openai-cl100k'],
    ['gpt-4-0613', 'openai-cl100k'],
    ['gpt-4-32k', 'openai-cl100k'],
    ['gpt-4-turbo-2024-04-09', 'openai-cl100k'],
    ['gpt-3.5-turbo-16k', 'openai-cl100k'],
    ['azure/gpt-35-turbo', 'openai-cl100k'],
    ['gpt-oss-120b', 'gpt-oss'],
    ['openai/gpt-oss-20b', 'gpt-oss'],
    ['gpt-oss:20b', 'gpt-oss'],
    ['claude-sonnet-4-5-20250929', 'claude-4.5'],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 'claude-4.5'],
    ['anthropic/claude-opus-4.6', 'claude-4.5'],
    ['claude-opus-4-6[1m]', 'claude-4.5'],
    ['claude-haiku-4-5@20251001', 'claude-4.5'],
    ['claude-opus-4-7', 'claude-4.7'],
    ['claude-opus-4-8-20260601', 'claude-4.7'],
    ['claude-sonnet-5', 'claude-4.7'],
    ['claude-fable-5-1', 'claude-4.7'],
    ['gemini-3-flash-preview', 'gemini-3'],
    ['models/gemini-3.1-pro-preview', 'gemini-3'],
  ])('%s is of the family %s', (name, family) => {
    expect(familyOf(name)).toBe(family);
  });

  test.each([
    'gpt-6-sol',
    'gpt-neox-20b',
    'gpt-j-6b',
    'gpt4all-13b',
    'gpt-4o-distill-qwen-7b',
    'somebody/gpt-4o-mini',
    'gpt-4-alpaca',
    'gpt-5x',
    'yandexgpt-5',
    'gpt-sw3-40b',
    'o1000',
    'o3x-large',
    'openthinker/o1-mini-clone',
    'claude-opus-4-1',
    'claude-3-7-sonnet',
    'claude-opus-10',
    'claude-instant-1.2',
    'gemini-2.5-pro',
    'gemini-4-argon',
    'codex-cushman-001',
    '',
  ])('%s is of no known family', (name) => {
    expect(familyOf(name)).toBeUndefined();
  });

  test('a local server may call any model by the name of one of OpenAI’s', () => {
    expect(familyOf('gpt-4', 'ollama')).toBeUndefined();
    expect(familyOf('gpt-4o', 'LMStudio')).toBeUndefined();
    expect(familyOf('vllm/gpt-4o')).toBeUndefined();
    expect(familyOf('gpt-oss-20b', 'ollama')).toBe('gpt-oss');
  });

  test('every model of OpenAI in the catalog has a vocabulary, except GPT-6', () => {
    const openai = builtinProviders.find(({ provider }) => provider === 'openai')?.models ?? [];
    const without = openai.flatMap(({ match }) => match).filter((name) => familyOf(name) === undefined);
    expect(without.every((name) => name.startsWith('gpt-6'))).toBe(true);
    expect(openai.length).toBeGreaterThan(without.length + 20);
  });
});

describe('modelInfo', () => {
  test('has the vocabulary of the name, regardless of the server', () => {
    expect(modelInfo({ name: 'gpt-4.1' }).tokenizer).toMatchObject({ encoding: 'o200k_base', factor: 1, margin: 0.02 });
    expect(modelInfo({ provider: 'mycorp', name: 'gpt-4' }).tokenizer.encoding).toBe('cl100k_base');
  });

  test('a model that OpenAI’s protocol serves is not taken for one of OpenAI’s', () => {
    expect(modelInfo({ provider: 'openai', name: 'our-own-model' }).tokenizer).not.toHaveProperty('margin');
    expect(modelInfo({ provider: 'openai', name: 'our-own-model' }).tokenizer.encoding).toBe('unknown');
  });

  test('what the user says of a tokenizer outweighs its family', () => {
    const extra = [{ match: ['gpt-4o'], tokenizer: { encoding: 'unknown', factor: 2 } as const }];
    expect(modelInfo({ name: 'gpt-4o', extra }).tokenizer).toEqual({ encoding: 'unknown', factor: 2 });
  });
});
