import Anthropic from '@anthropic-ai/sdk';
import { ApiError } from '@google/genai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { classifyFailure } from './classify.ts';

// The official SDKs build the errors here, so that a new version of theirs with another form is noticed.

const headers = new Headers({ 'retry-after': '3' });
const anthropic = (status: number, type: string, message: string) =>
  Anthropic.APIError.generate(status, { type: 'error', error: { type, message } }, undefined, headers);
const openai = (status: number, message: string, code: string) =>
  OpenAI.APIError.generate(status, { error: { message, code, type: code } }, undefined, headers);
const google = (code: number, message: string, status: string) =>
  new ApiError({ status: code, message: JSON.stringify({ error: { code, message, status } }) });

const tooLong = 'prompt is too long: 213462 tokens > 200000 maximum';
const tooMany = "This model's maximum context length is 8192 tokens. However, your messages resulted in 8202 tokens.";
const tooLarge = 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).';

test.each([
  [
    anthropic(400, 'invalid_request_error', tooLong),
    { kind: 'overflow', limit: 200_000, used: 213_462, message: tooLong },
  ],
  [anthropic(429, 'rate_limit_error', 'Slow down'), { kind: 'rate', delayMs: 3000, status: 429, message: 'Slow down' }],
  [anthropic(529, 'overloaded_error', 'Overloaded'), { kind: 'rate', status: 529 }],
  [anthropic(401, 'authentication_error', 'invalid x-api-key'), { kind: 'auth', status: 401 }],
  [anthropic(500, 'api_error', 'Internal server error'), { kind: 'network', status: 500 }],
  [openai(400, tooMany, 'context_length_exceeded'), { kind: 'overflow', limit: 8192, used: 8202, message: tooMany }],
  [openai(429, 'You exceeded your current quota', 'insufficient_quota'), { kind: 'quota', retryable: false }],
  [OpenAI.APIError.generate(400, undefined, undefined, headers), { kind: 'invalid', status: 400 }],
  [new OpenAI.APIConnectionError({ cause: new TypeError('fetch failed') }), { kind: 'network', retryable: true }],
  [new OpenAI.APIConnectionTimeoutError(), { kind: 'network', retryable: true }],
  [new OpenAI.APIUserAbortError(), { kind: 'unknown', retryable: false }],
  [
    google(400, tooLarge, 'INVALID_ARGUMENT'),
    { kind: 'overflow', limit: 1_048_576, used: 1_048_577, message: tooLarge },
  ],
  [google(503, 'The model is overloaded. Please try again later.', 'UNAVAILABLE'), { kind: 'rate', status: 503 }],
])('%s', (error, expected) => {
  expect(classifyFailure({ error })).toMatchObject(expected);
});
