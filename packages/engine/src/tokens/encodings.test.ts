import { expect, test } from 'vitest';
import { encodingOf } from './encodings.ts';

test.each([
  ['gpt-4o-mini', 'o200k_base'],
  ['gpt-4.1', 'o200k_base'],
  ['gpt-5.1-codex', 'o200k_base'],
  ['openai/o3-mini', 'o200k_base'],
  ['ft:gpt-4o:acme', 'o200k_base'],
  ['gpt-oss-120b', 'o200k_base'],
  ['gpt-4', 'cl100k_base'],
  ['gpt-4-turbo', 'cl100k_base'],
  ['gpt-3.5-turbo-16k', 'cl100k_base'],
  ['claude-sonnet-4-5', undefined],
  ['gemini-2.5-pro', undefined],
  ['olmo-3', undefined],
])('%s is encoded by %s', (model, encoding) => {
  expect(encodingOf(model)).toBe(encoding);
});
