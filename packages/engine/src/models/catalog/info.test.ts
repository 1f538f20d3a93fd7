import { describe, expect, test } from 'vitest';
import { LonghaulError } from '../../errors.ts';
import type { ModelEntry } from './entry.ts';
import { modelInfo } from './info.ts';

describe('names', () => {
  test.each([
    ['claude-opus-4-5-20251101', 200_000],
    ['anthropic/claude-opus-4.5', 200_000],
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 200_000],
    ['claude-opus-4-5@20251101', 200_000],
    ['Claude-Opus-4-5', 200_000],
    ['claude-opus-4-6[1m]', 1_000_000],
    ['claude-sonnet-4-5', 200_000],
    ['claude-sonnet-4-5[1m]', 1_000_000],
    ['models/gemini-2.5-pro', 1_048_576],
    ['gpt-4o-2024-11-20', 128_000],
    ['gpt-5-2025-08-07', 400_000],
    ['openrouter/moonshotai/kimi-k3', 1_048_576],
    ['llama-3.3-70b-instruct', 131_072],
  ])('%s', (name, window) => {
    expect(modelInfo({ name })).toMatchObject({ known: true, window });
  });

  test('a window that only the name asks for is noted, and `extra` outweighs it', () => {
    const asked = 'The name asks for a window of 1000000 tokens; the provider must have it turned on.';
    expect(modelInfo({ name: 'claude-sonnet-4-5[1m]' }).note).toContain(asked);
    expect(modelInfo({ name: 'claude-opus-4-6[1m]' }).note ?? '').not.toContain(asked);
    expect(modelInfo({ name: 'mystery-9[1M]' })).toMatchObject({ known: false, window: 1_000_000 });
    const extra = [{ match: ['claude-sonnet-4-5'], window: 500_000 }];
    expect(modelInfo({ name: 'claude-sonnet-4-5[1m]', extra }).window).toBe(500_000);
  });

  test('the longest fitting name wins, a smaller sibling is not taken for the model', () => {
    expect(modelInfo({ name: 'gpt-4o-mini' }).prices?.input).toBe(0.15);
    expect(modelInfo({ name: 'gpt-4o-2024-05-13' }).prices?.input).toBe(5);
    expect(modelInfo({ name: 'gpt-5-mini' }).prices?.input).toBe(0.25);
    expect(modelInfo({ name: 'gpt-5-turbo-max' }).known).toBe(false);
  });

  test('a host’s figures count only when it is named', () => {
    expect(modelInfo({ name: 'gpt-oss-120b' }).prices).toBeUndefined();
    expect(modelInfo({ provider: 'cerebras', name: 'gpt-oss-120b' }).prices?.input).toBe(0.35);
    expect(modelInfo({ provider: 'groq', name: 'openai/gpt-oss-120b' }).prices?.input).toBe(0.15);
  });

  test('another host gets the maker’s figures, and a word of caution', () => {
    const info = modelInfo({ provider: 'openrouter', name: 'anthropic/claude-opus-5' });
    expect(info).toMatchObject({ provider: 'openrouter', window: 1_000_000, known: true });
    expect(info.note).toContain('The figures are those of anthropic; openrouter may differ.');
    expect(modelInfo({ provider: 'claude', name: 'claude-opus-5' }).note).toBeUndefined();
  });
});

describe('hosts', () => {
  test('keep their own rules for a model that someone else made', () => {
    const info = modelInfo({ provider: 'cerebras', name: 'kimi-k3' });
    expect(info).toMatchObject({ window: 1_048_576, dialects: ['openai-chat'] });
    expect(info.quirks).toContain('bodylessOverflow');
    expect(info.note).toContain('The figures are those of kimi; cerebras may differ.');
  });

  test('a platform of one maker may carry another’s models', () => {
    expect(modelInfo({ provider: 'vertex', name: 'claude-opus-5' })).toMatchObject({
      dialects: ['anthropic'],
      known: true,
    });
  });

  test('a local server decides its window itself, and the note says so', () => {
    const info = modelInfo({ provider: 'ollama', name: 'llama-3.3-70b' });
    expect(info.quirks).toContain('silentTruncation');
    expect(info.note).toContain('The server decides the window');
  });
});

describe('unknown models', () => {
  test('get honest guesses', () => {
    const info = modelInfo({ name: 'mystery-9' });
    expect(info).toMatchObject({
      known: false,
      window: 128_000,
      maxOutput: 4096,
      dialects: ['openai-chat'],
      quirks: [],
    });
    expect(info.note).toContain('No figures for this model');
    expect(info.prices).toBeUndefined();
  });

  test('keep what holds for their provider', () => {
    const info = modelInfo({ provider: 'anthropic', name: 'claude-zeta-9' });
    expect(info).toMatchObject({ known: false, dialects: ['anthropic'], cache: { maxBreakpoints: 4 } });
    expect(info.quirks).toContain('reattachLastThinking');
  });
});

describe('extra', () => {
  test('adds a model', () => {
    const extra: ModelEntry[] = [{ match: ['our-*'], window: 32_000, maxOutput: 2000, dialects: ['anthropic'] }];
    expect(modelInfo({ name: 'our-model', extra })).toMatchObject({
      known: true,
      window: 32_000,
      dialects: ['anthropic'],
    });
  });

  test('comes before the built-in data, field by field', () => {
    const extra: ModelEntry[] = [{ match: ['claude-opus-5'], window: 200_000, capabilities: { images: false } }];
    const info = modelInfo({ name: 'claude-opus-5', extra });
    expect(info).toMatchObject({ window: 200_000, maxOutput: 128_000, prices: { input: 5 } });
    expect(info.capabilities).toMatchObject({ images: false, documents: true });
  });

  test('a smaller window shrinks the other limits with it', () => {
    const extra: ModelEntry[] = [{ match: ['gpt-5.5'], window: 100_000 }];
    expect(modelInfo({ name: 'gpt-5.5', extra })).toMatchObject({
      window: 100_000,
      inputLimit: 100_000,
      maxOutput: 100_000,
    });
  });

  test('may hold for one provider only', () => {
    const extra: ModelEntry[] = [{ match: ['claude-opus-5'], provider: 'copilot', window: 128_000 }];
    expect(modelInfo({ provider: 'Copilot', name: 'claude-opus-5', extra }).window).toBe(128_000);
    expect(modelInfo({ provider: 'anthropic', name: 'claude-opus-5', extra }).window).toBe(1_000_000);
  });

  test.each([
    [[{ match: ['x'], windw: 5 }], 'extra[0] is not valid', 'Remove `windw` from extra[0]'],
    [
      [{ match: ['x'] }, { match: ['y'], window: '8k' }],
      'extra[1].window is not valid',
      'Set extra[1].window to a number',
    ],
    [[{ match: ['x'], dialects: ['grok'] }], 'extra[0].dialects[0] is not valid', 'one of: anthropic, openai-chat'],
    [[{ match: [] }], 'extra[0].match is not valid', 'Correct extra[0].match'],
    [[{ match: ['x'], asOf: 'today' }], 'extra[0].asOf is not valid', 'Correct extra[0].asOf'],
    [{}, 'extra is not valid', 'Set extra to an array'],
  ])('that is wrong is refused with the place and the fix: %j', (value, message, hint) => {
    try {
      modelInfo({ name: 'x', extra: value as unknown as ModelEntry[] });
      expect.unreachable();
    } catch (error) {
      if (!LonghaulError.is(error)) throw error;
      expect(error.code).toBe('invalid-model-data');
      expect(error.message).toContain(message);
      expect(error.hint).toContain(hint);
    }
  });
});
