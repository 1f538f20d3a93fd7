import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../testing/runs.ts';
import { classifyFailure } from './classify.ts';

const kindOf = (input: Parameters<typeof classifyFailure>[0]) => classifyFailure(input).kind;

describe('regressions', () => {
  test('pi#1038 and #2699: throttling is not taken for overflow', () => {
    for (const text of [
      'Throttling error: Too many tokens, please wait before trying again.',
      'Too many tokens per day, please wait before trying again.',
      'Rate limit reached: the prompt is too long for this minute',
      'HTTP 429 Too Many Requests (token limit exceeded)',
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute",
    ]) {
      expect(classifyFailure({ error: new Error(text) })).toMatchObject({ kind: 'rate', retryable: true });
    }
  });

  test('Bedrock says «Too many tokens» when it throttles, by name, by type or by status', () => {
    const message = 'Too many tokens, please wait before trying again.';
    expect(kindOf({ error: Object.assign(new Error('Too many tokens'), { name: 'ThrottlingException' }) })).toBe(
      'rate',
    );
    expect(kindOf({ body: { __type: 'com.amazon#ThrottlingException', message } })).toBe('rate');
    expect(kindOf({ status: 429, body: { message: 'Too many tokens' } })).toBe('rate');
    expect(kindOf({ status: 400, body: { message: 'Too many tokens' } })).toBe('overflow');
  });

  test('pi#9482: an answer without a body is an overflow from Cerebras only', () => {
    const error = Object.assign(new Error('400 status code (no body)'), { status: 400 });
    expect(kindOf({ provider: 'cerebras', error })).toBe('overflow');
    expect(kindOf({ provider: 'cerebras', status: 400 })).toBe('overflow');
    expect(kindOf({ provider: 'openai', error })).toBe('invalid');
    expect(kindOf({ provider: 'openai', status: 400 })).toBe('invalid');
    expect(kindOf({ error })).toBe('invalid');
    expect(kindOf({ provider: 'cerebras', status: 429 })).toBe('rate');
  });

  test('413 is a size limit for every provider, and only as a status', () => {
    expect(kindOf({ status: 413 })).toBe('overflow');
    expect(kindOf({ error: new Error('413 status code (no body)') })).toBe('overflow');
    expect(kindOf({ error: new Error('github-copilot API error (413): failed to parse request') })).toBe('overflow');
    expect(kindOf({ error: new Error('tool bash exited after 413 lines') })).toBe('unknown');
  });

  test('pi#11057: numbers in ids and byte counts are no status', () => {
    for (const text of [
      'unexpected token in req_429abc',
      'trace 0f503e-500-ffe',
      'read 500 bytes, expected 502 bytes',
      'wrote 429,000 records',
      'error 50312 in module',
      'took 503ms',
      'ratio 1.429 is wrong',
    ]) {
      expect(classifyFailure({ error: new Error(text) })).toMatchObject({ kind: 'unknown', retryable: false });
    }
  });

  test('Groq and OpenAI: a request larger than a minute allows is an overflow, although it names billing and rate limits', () => {
    const message =
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 46012. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.';
    const body = { error: { message, type: 'tokens', code: 'rate_limit_exceeded' } };
    expect(classifyFailure({ status: 429, body })).toMatchObject({ kind: 'overflow', limit: 30_000, used: 46_012 });
  });

  test('claude-code#50784: a subscription without the long window answers 429, which no wait cures', () => {
    const body = { error: { type: 'rate_limit_error', message: 'Extra usage is required for long context requests.' } };
    expect(classifyFailure({ status: 429, body })).toMatchObject({
      kind: 'overflow',
      limit: 200_000,
      retryable: false,
    });
    const spent = { error: { message: "You're out of extra usage. Add more at claude.ai/settings/usage" } };
    expect(classifyFailure({ status: 429, body: spent })).toMatchObject({ kind: 'quota', retryable: false });
  });

  test('Google: a quota per minute passes, a quota per day does not', () => {
    const body = (quotaId: string) => ({
      error: {
        code: 429,
        message: 'You exceeded your current quota, please check your plan and billing details.',
        status: 'RESOURCE_EXHAUSTED',
        details: [{ violations: [{ quotaId }] }, { '@type': 'google.rpc.RetryInfo', retryDelay: '12s' }],
      },
    });
    expect(classifyFailure({ body: body('GenerateRequestsPerMinutePerProjectPerModel') })).toMatchObject({
      kind: 'rate',
      status: 429,
      delayMs: 12_000,
    });
    expect(classifyFailure({ body: body('GenerateRequestsPerDayPerProjectPerModel') })).toMatchObject({
      kind: 'quota',
      retryable: false,
    });
  });

  test('gemini-cli#2020: a body inside a message inside a body is read all the same', () => {
    const inner = { error: { code: 429, message: 'Resource has been exhausted (e.g. check quota).' } };
    const outer = { error: { message: JSON.stringify(inner), code: 429, status: 'Too Many Requests' } };
    const failure = classifyFailure({ error: new Error(JSON.stringify(outer)) });
    expect(failure).toMatchObject({ kind: 'rate', message: 'Resource has been exhausted (e.g. check quota).' });
  });

  test('local servers send an overflow as 500, which would be repeated', () => {
    const vllm = 'The decoder prompt (length 15983) is longer than the maximum model length of 8192';
    expect(classifyFailure({ status: 500, body: { message: vllm } })).toMatchObject({
      kind: 'overflow',
      limit: 8192,
      used: 15_983,
      retryable: false,
    });
    expect(classifyFailure({ status: 500, body: { error: 'Context size has been exceeded' } })).toMatchObject({
      kind: 'overflow',
      retryable: false,
    });
  });

  test('llama.cpp: the numbers are found in the body, parsed or inside a message', () => {
    const message = 'request exceeds the available context size, try increasing it';
    const body = { error: { code: 400, message, n_prompt_tokens: 14_429, n_ctx: 8192 } };
    const expected = { kind: 'overflow', limit: 8192, used: 14_429 };
    expect(classifyFailure({ status: 400, body })).toMatchObject(expected);
    expect(classifyFailure({ body: { error: { message: JSON.stringify(body) } } })).toMatchObject(expected);
  });

  test('spent credits arrive as 429 and are a quota', () => {
    for (const message of [
      'Your team has either used all available credits or reached its monthly spending limit.',
      "You've hit your usage limit.",
    ]) {
      expect(classifyFailure({ status: 429, body: { message } })).toMatchObject({ kind: 'quota', retryable: false });
    }
  });

  test('a rejected request that quotes words about limits stays a rejected request', () => {
    for (const message of [
      "Invalid value for 'tool_choice': 'rate limit'",
      `Invalid schema for function 'report': {"type":"object","properties":{"state":{"enum":["quota_exceeded","insufficient_quota"]}}}`,
      "Unknown tool 'too many requests'",
    ]) {
      for (const status of [400, 404, 422]) {
        expect(classifyFailure({ status, body: { error: { message } } })).toMatchObject({ kind: 'invalid', status });
      }
    }
  });

  test('what a provider says of money, and its own codes, count with status 400 too', () => {
    const low = 'Your credit balance is too low to access the Anthropic API.';
    expect(kindOf({ status: 400, body: { error: { type: 'invalid_request_error', message: low } } })).toBe('quota');
    expect(kindOf({ status: 400, body: { error: { message: 'no', code: 'insufficient_quota' } } })).toBe('quota');
    expect(kindOf({ error: Object.assign(new Error('no'), { status: 400, code: 'insufficient_quota' }) })).toBe(
      'quota',
    );
    expect(kindOf({ status: 400, body: { __type: 'ThrottlingException', message: 'Slow down' } })).toBe('rate');
  });

  test('a limit on images is no overflow of the window', () => {
    expect(kindOf({ status: 400, body: { message: 'The request exceeds the limit of 20 images.' } })).toBe('invalid');
  });
});

describe('statuses decide where no wording does', () => {
  test.each([
    [400, 'invalid', false],
    [401, 'auth', false],
    [402, 'quota', false],
    [403, 'auth', false],
    [404, 'invalid', false],
    [408, 'network', true],
    [409, 'network', true],
    [422, 'invalid', false],
    [429, 'rate', true],
    [500, 'network', true],
    [502, 'network', true],
    [503, 'rate', true],
    [504, 'network', true],
    [520, 'network', true],
    [524, 'network', true],
    [529, 'rate', true],
  ])('%i is %s', (status, kind, retryable) => {
    expect(classifyFailure({ status })).toMatchObject({ kind, retryable, status });
    expect(classifyFailure({ error: new Error(`Request failed with status code ${status}`) })).toMatchObject({
      kind,
      status,
    });
  });

  test('an error inside a stream comes with status 200, which says nothing', () => {
    const body = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    expect(classifyFailure({ status: 200, body })).toMatchObject({ kind: 'rate' });
    expect(classifyFailure({ status: 200 })).toEqual({
      kind: 'unknown',
      retryable: false,
      message: 'The model failed without a reason.',
    });
  });

  test('a word about time in a rejected request does not make it transient', () => {
    expect(kindOf({ status: 400, body: { message: "invalid value for 'timeout'" } })).toBe('invalid');
  });
});

describe('what SDKs throw', () => {
  test('status, body and headers are found on the error', () => {
    const error = Object.assign(new Error('429 {"type":"error"}'), {
      status: 429,
      headers: new Headers({ 'retry-after': '7' }),
      error: {
        type: 'error',
        error: { type: 'rate_limit_error', message: 'Number of requests has exceeded your limit' },
      },
    });
    expect(classifyFailure({ error })).toMatchObject({
      kind: 'rate',
      status: 429,
      delayMs: 7000,
      message: 'Number of requests has exceeded your limit',
    });
  });

  test('AI SDK: a RetryError is what its last attempt was', () => {
    const message = 'prompt is too long: 213462 tokens > 200000 maximum';
    const lastError = Object.assign(new Error('Bad Request'), {
      name: 'AI_APICallError',
      statusCode: 400,
      responseBody: JSON.stringify({ error: { type: 'invalid_request_error', message } }),
    });
    const error = Object.assign(new Error('Failed after 3 attempts. Last error: Bad Request'), {
      name: 'AI_RetryError',
      reason: 'maxRetriesExceeded',
      errors: [lastError],
      lastError,
    });
    expect(classifyFailure({ error })).toMatchObject({ kind: 'overflow', limit: 200_000, status: 400, message });
  });

  test('axios: status, headers and body are found on the response', () => {
    const request: Record<string, unknown> = {};
    request.self = request;
    const response = {
      status: 429,
      headers: { 'Retry-After': '9' },
      data: { error: { message: 'Slow down' } },
      request,
    };
    const error = Object.assign(new Error('Request failed with status code 429'), { response });
    expect(classifyFailure({ error })).toMatchObject({
      kind: 'rate',
      status: 429,
      delayMs: 9000,
      message: 'Slow down',
    });
  });

  test.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'ENOTFOUND', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'])(
    '%s is found in the cause',
    (code) => {
      const error = new TypeError('failed', { cause: Object.assign(new Error('inner'), { code }) });
      expect(classifyFailure({ error })).toMatchObject({ kind: 'network', retryable: true });
    },
  );

  test('an abort is no network failure and is not repeated; a timeout is', () => {
    const aborted = new DOMException('This operation was aborted', 'AbortError');
    expect(classifyFailure({ error: aborted })).toMatchObject({ kind: 'unknown', retryable: false });
    const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    expect(classifyFailure({ error: late })).toMatchObject({ kind: 'network', retryable: true });
  });

  test('a page of HTML is reduced to its title', () => {
    const body = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>…</body></html>';
    expect(classifyFailure({ status: 502, body })).toMatchObject({ kind: 'network', message: '502 Bad Gateway' });
  });

  test('a failure without any word names who failed', () => {
    expect(classifyFailure({ provider: 'groq', status: 500 }).message).toBe('groq answered 500 without a reason.');
    expect(classifyFailure({ dialect: 'gemini', status: 500 }).message).toBe('gemini answered 500 without a reason.');
  });
});

describe('x-should-retry', () => {
  test('can forbid what would be repeated, and allow what is unknown', () => {
    expect(classifyFailure({ status: 529, headers: { 'x-should-retry': 'false' } }).retryable).toBe(false);
    expect(classifyFailure({ error: 'odd', headers: { 'X-Should-Retry': 'true' } }).retryable).toBe(true);
  });

  test('cannot make a quota, a bad key or an overflow worth repeating', () => {
    const headers = { 'x-should-retry': 'true' };
    for (const body of ['insufficient_quota', 'invalid x-api-key', 'prompt is too long', 'invalid_request_error']) {
      expect(classifyFailure({ headers, body }).retryable).toBe(false);
    }
  });
});

describe('for any input', () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error('no');
      },
    },
  );

  test('it does not throw and answers in one line', () => {
    const anything = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withSparseArray: true }),
      fc.constant(hostile),
    );
    fc.assert(
      fc.property(anything, anything, fc.option(fc.integer()), fc.string(), (error, body, status, provider) => {
        const failure = classifyFailure({ error, body, provider, ...(status === null ? {} : { status }) });
        return (
          failure.message.length <= 500 && !failure.message.includes('\n') && typeof failure.retryable === 'boolean'
        );
      }),
      runs(100),
    );
  });

  test('it answers, and shows no half of a key, when the message is huge', () => {
    const keys = `sk-${'a'.repeat(60)} `.repeat(20_000);
    expect(classifyFailure({ error: new Error(keys) }).message).not.toMatch(/aaa/);
    expect(classifyFailure({ body: `status${' '.repeat(1_000_000)}` })).toMatchObject({ kind: 'unknown' });
    expect(classifyFailure({ body: 'api key '.repeat(100_000) })).toMatchObject({ kind: 'unknown' });
  });

  test('a key in an error, a body or a list of secrets does not reach the message', () => {
    const tail = fc.stringMatching(/^[A-Za-z0-9]{24,40}$/);
    const prefix = fc.constantFrom(
      'sk-',
      'sk-ant-api03-',
      'sk-proj-',
      'AIza',
      'gsk_',
      'xai-',
      'ghp_',
      'hf_',
      'Bearer ',
    );
    fc.assert(
      fc.property(prefix, tail, fc.string({ maxLength: 30 }), (start, key, words) => {
        const message = `${words} key ${start}${key} ${words}`;
        const all = [
          classifyFailure({ error: new Error(message) }),
          classifyFailure({ body: { error: { message } } }),
          classifyFailure({ body: `opaque ${key}`, secrets: [key] }),
        ];
        return all.every((failure) => !failure.message.includes(key));
      }),
      runs(100),
    );
  });
});
