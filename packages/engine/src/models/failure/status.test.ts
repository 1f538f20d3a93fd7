import { expect, test } from 'vitest';
import { statusIn } from './report.ts';

test.each([
  ['429 {"type":"error"}', 429],
  ['Request failed with status code 503', 503],
  ['got status: 429 Too Many Requests.', 429],
  ['Error code: 413 - {', 413],
  ['HTTP/1.1 502 Bad Gateway', 502],
  ['upstream said 504 Gateway Timeout', 504],
  ['groq API error (529): busy', 529],
])('%s', (text, expected) => {
  expect(statusIn(text)).toBe(expected);
});

test.each([
  'req_429',
  'error 5003',
  'error-500-x',
  '500 bytes',
  'status 200',
  'HTTP/2 stream failed',
  'line 404',
  '429.5',
])('no status in «%s»', (text) => {
  expect(statusIn(text)).toBeUndefined();
});
