import { describe, expect, test } from 'vitest';
import { classifyFailure } from './classify.ts';

const statuses = [undefined, 400, 413, 429, 503] as const;

/** Wordings of rate limits and quotas that also speak of tokens; none of them is cured by a smaller request. */
const wordings: readonly (readonly [string, 'rate' | 'quota'])[] = [
  ['Rate limit exceeded: too many tokens', 'rate'],
  ['rate limit reached, too many tokens in the last 60 seconds', 'rate'],
  ['rate_limit_exceeded: too many tokens', 'rate'],
  ['Rate-limited: token limit exceeded, retry later', 'rate'],
  ['Too many tokens per minute', 'rate'],
  ['Too many tokens per day, please wait before trying again.', 'rate'],
  ['Too many tokens this minute', 'rate'],
  ['Token limit exceeded for this minute (TPM)', 'rate'],
  ['TPM exceeded: token limit exceeded', 'rate'],
  ['Input tokens exceeded the limit of 10,000 tokens per minute', 'rate'],
  ['This request exceeds the limit of 40000 tokens per minute', 'rate'],
  ["This request would exceed your organization's rate limit of 30,000 input tokens per minute", 'rate'],
  ['You have exceeded the token rate limit of your current pricing tier. Please retry after 60 seconds.', 'rate'],
  ['Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000', 'rate'],
  ['tokens_per_minute limit: too many tokens', 'rate'],
  ['Daily token limit exceeded', 'quota'],
  ['Token quota exceeded: too many tokens', 'quota'],
  ['You have exceeded the monthly token quota', 'quota'],
];

describe('a 400 «rate limit … too many tokens» is not taken for overflow', () => {
  test.each(wordings)('%s', (message, kind) => {
    for (const status of statuses) {
      const body = { error: { message } };
      expect(classifyFailure({ body, status }).kind, `${status}`).toBe(kind);
    }
  });

  test('a code next to the words decides as well', () => {
    for (const code of ['rate_limit_exceeded', 'rate_limit_error', 'tokens_per_minute_exceeded']) {
      expect(classifyFailure({ status: 400, body: { error: { message: 'too many tokens', code } } }).kind).toBe('rate');
    }
  });

  test('an overflow stays one', () => {
    for (const message of [
      'too many tokens',
      'Too many tokens in the prompt: 210000 > 200000',
      'token limit exceeded',
      'prompt token count of 135342 exceeds the limit of 128000',
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
    ]) {
      expect(classifyFailure({ status: 400, body: { error: { message } } }).kind).toBe('overflow');
    }
  });
});
