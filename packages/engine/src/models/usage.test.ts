import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialects } from '../message/index.ts';
import { runs } from '../testing/runs.ts';
import { promptTokens, readUsage } from './usage.ts';

describe('readUsage', () => {
  test('Anthropic counts cached tokens apart from the input', () => {
    const value = {
      input_tokens: 12,
      output_tokens: 300,
      cache_creation_input_tokens: 500,
      cache_read_input_tokens: 90_000,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 400 },
      output_tokens_details: { thinking_tokens: 120 },
    };
    expect(readUsage({ dialect: 'anthropic', value })).toEqual({
      input: 12,
      output: 300,
      cacheRead: 90_000,
      cacheWrite: 500,
      cacheWriteLong: 400,
      reasoning: 120,
    });
  });

  test('Anthropic counts its own compactions apart', () => {
    const compaction = { type: 'compaction', input_tokens: 180_000, output_tokens: 3500, cache_read_input_tokens: 7 };
    const message = { type: 'message', input_tokens: 23_000, output_tokens: 1000 };
    const value = { input_tokens: 23_000, output_tokens: 1000, iterations: [compaction, message] };
    const usage = readUsage({ dialect: 'anthropic', value });
    const providerCompaction = { input: 180_000, output: 3500, cacheRead: 7, cacheWrite: 0 };
    expect(usage).toEqual({ input: 23_000, output: 1000, cacheRead: 0, cacheWrite: 0, providerCompaction });
    expect(usage && promptTokens(usage)).toBe(23_000);
  });

  test('Anthropic sends null where a count does not apply', () => {
    const value = { input_tokens: 5, output_tokens: 1, cache_creation_input_tokens: null, cache_creation: null };
    expect(readUsage({ dialect: 'anthropic', value })).toEqual({ input: 5, output: 1, cacheRead: 0, cacheWrite: 0 });
  });

  test('OpenAI chat counts cached tokens inside the prompt', () => {
    const value = {
      prompt_tokens: 1000,
      completion_tokens: 50,
      total_tokens: 1050,
      prompt_tokens_details: { cached_tokens: 768, cache_write_tokens: 200 },
      completion_tokens_details: { reasoning_tokens: 30 },
    };
    expect(readUsage({ dialect: 'openai-chat', value })).toEqual({
      input: 32,
      output: 50,
      cacheRead: 768,
      cacheWrite: 200,
      reasoning: 30,
    });
  });

  test.each([
    ['DeepSeek', { prompt_tokens: 100, completion_tokens: 1, prompt_cache_hit_tokens: 64 }],
    ['Kimi', { prompt_tokens: 100, completion_tokens: 1, cached_tokens: 64 }],
  ])('%s has its own name for cached tokens', (_, value) => {
    expect(readUsage({ dialect: 'openai-chat', value })).toEqual({
      input: 36,
      output: 1,
      cacheRead: 64,
      cacheWrite: 0,
    });
  });

  test('xAI counts reasoning in addition to the completion, as its total shows', () => {
    const value = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 115,
      completion_tokens_details: { reasoning_tokens: 100 },
    };
    expect(readUsage({ dialect: 'openai-chat', value })).toMatchObject({ output: 105, reasoning: 100 });
  });

  test('Responses', () => {
    const value = {
      input_tokens: 1000,
      output_tokens: 70,
      input_tokens_details: {
        cached_tokens: 600,
        cache_write_tokens: 300,
        cache_write_tokens_details: { ttl_12h_tokens: 300, ttl_30m_tokens: 0 },
      },
      output_tokens_details: { reasoning_tokens: 40 },
    };
    expect(readUsage({ dialect: 'openai-responses', value })).toEqual({
      input: 100,
      output: 70,
      cacheRead: 600,
      cacheWrite: 300,
      cacheWriteLong: 300,
      reasoning: 40,
    });
  });

  test('Gemini counts thoughts apart from the answer, and the results of its own tools apart from the prompt', () => {
    const value = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 20,
      cachedContentTokenCount: 80,
      candidatesTokenCount: 7,
      thoughtsTokenCount: 50,
    };
    expect(readUsage({ dialect: 'gemini', value })).toEqual({
      input: 40,
      output: 57,
      cacheRead: 80,
      cacheWrite: 0,
      reasoning: 50,
    });
  });

  test.each(dialects)('all-zero or missing usage is no usage (%s)', (dialect) => {
    for (const value of [undefined, null, 'x', [], {}, { input_tokens: 0, prompt_tokens: 0, promptTokenCount: 0 }]) {
      expect(readUsage({ dialect, value })).toBeUndefined();
    }
  });

  test('never throws, and never gives a negative count', () => {
    fc.assert(
      fc.property(fc.constantFrom(...dialects), fc.anything(), (dialect, value) => {
        const usage = readUsage({ dialect, value });
        return usage === undefined || Object.values(usage).every((count) => count >= 0);
      }),
      runs(100),
    );
  });
});

test('a warm cache does not read as an empty window', () => {
  expect(promptTokens({ input: 12, output: 300, cacheRead: 90_000, cacheWrite: 500 })).toBe(90_512);
});
