import { describe, expect, test } from 'vitest';
import { fit, namesOf } from './match.ts';

const weight = (pattern: string, name: string) => fit({ entry: { match: [pattern] }, names: [name] });

describe('fit', () => {
  test.each([
    ['gpt-5', 'gpt-5'],
    ['gpt-5', 'gpt-5-2025-08-07'],
    ['gpt-4', 'gpt-4-0613'],
    ['claude-opus-4-5', 'claude-opus-4-5-20251101'],
    ['claude-opus-4-5', 'claude-opus-4-5@20251101'],
    ['claude-opus-4-6', 'claude-opus-4-6-v1'],
    ['claude-3-7-sonnet', 'claude-3-7-sonnet-latest'],
    ['kimi-k2', 'kimi-k2:free'],
    ['MiniMax-M3', 'minimax-m3'],
    ['llama-4-scout*', 'llama-4-scout-17b-16e-instruct'],
  ])('%s covers %s', (pattern, name) => {
    expect(weight(pattern, name)).toBeGreaterThan(0);
  });

  test.each([
    ['gpt-5', 'gpt-5-mini'],
    ['gpt-5', 'gpt-5.1'],
    ['claude-opus-4', 'claude-opus-4-1'],
    ['glm-5', 'glm-5-turbo'],
    ['o1', 'o1-pro'],
    ['gpt-4', 'my-gpt-4'],
  ])('%s does not cover %s', (pattern, name) => {
    expect(weight(pattern, name)).toBeUndefined();
  });

  test('longer beats shorter, and a full name beats a star of the same length', () => {
    expect(weight('gpt-5-codex', 'gpt-5-codex')).toBeGreaterThan(weight('gpt-5*', 'gpt-5-codex') ?? 0);
    expect(weight('our-model', 'our-model')).toBeGreaterThan(weight('our-model*', 'our-model') ?? 0);
    expect(weight('our-model-*', 'our-model-2')).toBeGreaterThan(weight('our-*', 'our-model-2') ?? 0);
  });
});

test('namesOf strips what hosts put around a name', () => {
  expect(namesOf('us.anthropic.claude-opus-4-5-20251101-v1:0')).toContain('claude-opus-4-5-20251101-v1:0');
  expect(namesOf('anthropic/claude-opus-4.5')).toContain('claude-opus-4-5');
  expect(namesOf('accounts/x/models/kimi-k3')).toContain('kimi-k3');
  expect(namesOf('claude-opus-5[1m]')).toEqual(['claude-opus-5']);
  expect(namesOf('gpt-5.1')).toEqual(['gpt-5.1']);
});
