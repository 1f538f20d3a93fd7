import { expect, test } from 'vitest';
import { maskKeys } from './mask.ts';

test.each([
  ['Incorrect API key provided: sk-proj-********abcd. You can', 'Incorrect API key provided: [key] You can'],
  ['POST https://host/v1beta/models?key=abcdef123456&alt=sse', 'POST https://host/v1beta/models?key=[key]&alt=sse'],
  ['x-api-key: 0123456789abcdef', 'x-api-key: [key]'],
  ['{"authorization":"Bearer abc.def-ghi"}', '{"authorization":"Bearer [key]"}'],
  ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [key]'],
  ['token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def', 'token [key]'],
  ['AWS AKIAIOSFODNN7EXAMPLE', 'AWS [key]'],
  ['connect to https://user:pass@host/v1 failed', 'connect to https://[key]@host/v1 failed'],
  ['proxy http://u:p@ss@10.0.0.1:8080', 'proxy http://[key]@10.0.0.1:8080'],
  ['https://opaquetoken@host', 'https://[key]@host'],
  ['password=hunter22', 'password=[key]'],
])('%s', (text, expected) => {
  expect(maskKeys({ text })).toBe(expected);
});

test.each([
  'req_011CUB2XUHWkFnQzxcKBbjpF',
  'prompt is too long: 213462 tokens > 200000 maximum',
  'API key not valid. Please pass a valid API key.',
  'see https://host/@scope/pkg?to=me@host and write to me@host',
  'max_tokens: 4096 > 2048',
  'model gpt-4o-2024-08-06, task-123456',
])('leaves what is no key: %s', (text) => {
  expect(maskKeys({ text })).toBe(text);
});
