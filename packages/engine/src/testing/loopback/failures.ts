import type { JudgeDialect } from '../judge/index.ts';
import type { JsonRecord } from '../judge/json.ts';
import type { LoopbackFailureKind, LoopbackFailureScript } from './types.ts';
import type { WireError } from './wire-error.ts';

/** `refused` is an answer of the model and `network` a broken connection: neither is an HTTP error. */
type HttpFailure = Exclude<LoopbackFailureKind, 'refused' | 'network'>;

interface FailureFacts {
  /** Tokens of the prompt, and the limit in the message. */
  tokens: number;
  limit: number;
  model: string;
  /** Seconds. */
  retryAfter: number;
}

type Table = Record<HttpFailure, (facts: FailureFacts) => WireError>;

/** A scripted failure as its provider reports it: status, type, message, retry headers. */
export function failureOf({
  dialect,
  failed,
  tokens,
  window,
  model,
}: {
  dialect: JudgeDialect;
  failed: LoopbackFailureScript & { failure: HttpFailure };
  tokens: number;
  window: number | undefined;
  model: string;
}): WireError {
  const limit = failed.limit ?? window ?? 200_000;
  // A scripted overflow of a small prompt must still be plausible.
  const facts = { tokens: Math.max(tokens, limit + 1), limit, model, retryAfter: failed.retryAfter ?? 20 };
  const error = tables[dialect][failed.failure](facts);
  return failed.message === undefined ? error : { ...error, message: failed.message };
}

const anthropicTable: Table = {
  overflow: ({ tokens, limit }) => ({
    status: 400,
    type: 'invalid_request_error',
    message: `prompt is too long: ${tokens} tokens > ${limit} maximum`,
  }),
  rate: ({ retryAfter }) => ({
    status: 429,
    type: 'rate_limit_error',
    message:
      "This request would exceed your organization's rate limit of 50,000 input tokens per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later.",
    headers: { 'retry-after': String(retryAfter), 'anthropic-ratelimit-input-tokens-remaining': '0' },
  }),
  quota: () => ({
    status: 400,
    type: 'invalid_request_error',
    message:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  }),
  auth: () => ({ status: 401, type: 'authentication_error', message: 'invalid x-api-key' }),
  invalid: () => ({ status: 400, type: 'invalid_request_error', message: 'Error' }),
  server: () => ({ status: 500, type: 'api_error', message: 'Internal server error' }),
  overloaded: () => ({
    status: 529,
    type: 'overloaded_error',
    message: 'Overloaded',
    headers: { 'x-should-retry': 'true' },
  }),
};

const openaiTable: Table = {
  overflow: ({ tokens, limit }) => ({
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param: 'messages',
    message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  }),
  rate: ({ model, retryAfter }) => ({
    status: 429,
    type: 'tokens',
    code: 'rate_limit_exceeded',
    message: `Rate limit reached for ${model} in organization org-loopback on tokens per min (TPM): Limit 30000, Used 30000, Requested 1000. Please try again in ${retryAfter}s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
    headers: {
      'retry-after': String(retryAfter),
      'retry-after-ms': String(retryAfter * 1000),
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-tokens': `${retryAfter}s`,
    },
  }),
  quota: () => ({
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message:
      'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.',
  }),
  auth: () => ({
    status: 401,
    type: 'invalid_request_error',
    code: 'invalid_api_key',
    message:
      'Incorrect API key provided: ***. You can find your API key at https://platform.openai.com/account/api-keys.',
  }),
  invalid: () => ({ status: 400, type: 'invalid_request_error', message: 'Invalid request.' }),
  server: () => ({
    status: 500,
    type: 'server_error',
    message: 'The server had an error while processing your request. Sorry about that!',
  }),
  overloaded: ({ retryAfter }) => ({
    status: 503,
    type: 'server_error',
    message: 'That model is currently overloaded with other requests. You can retry your request.',
    headers: { 'retry-after': String(retryAfter) },
  }),
};

const responsesTable: Table = {
  ...openaiTable,
  overflow: () => ({
    status: 400,
    type: 'invalid_request_error',
    code: 'context_length_exceeded',
    param: 'input',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  }),
};

const rpc = 'type.googleapis.com/google.rpc';
const exhausted = ({ retryAfter, quotaId }: { retryAfter: number; quotaId: string }): WireError => ({
  status: 429,
  type: 'RESOURCE_EXHAUSTED',
  message: `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\nPlease retry in ${retryAfter}s.`,
  details: [
    { '@type': `${rpc}.QuotaFailure`, violations: [{ quotaId }] },
    { '@type': `${rpc}.RetryInfo`, retryDelay: `${retryAfter}s` },
  ] satisfies JsonRecord[],
});

const geminiTable: Table = {
  overflow: ({ tokens, limit }) => ({
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${limit}).`,
  }),
  rate: ({ retryAfter }) => exhausted({ retryAfter, quotaId: 'GenerateContentInputTokensPerModelPerMinute-PaidTier' }),
  quota: ({ retryAfter }) => exhausted({ retryAfter, quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }),
  auth: () => ({
    status: 400,
    type: 'INVALID_ARGUMENT',
    message: 'API key not valid. Please pass a valid API key.',
    details: [{ '@type': `${rpc}.ErrorInfo`, reason: 'API_KEY_INVALID', domain: 'googleapis.com' }],
  }),
  invalid: () => ({ status: 400, type: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' }),
  server: () => ({
    status: 500,
    type: 'INTERNAL',
    message:
      'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
  }),
  overloaded: () => ({
    status: 503,
    type: 'UNAVAILABLE',
    message: 'The model is overloaded. Please try again later.',
  }),
};

const tables: Record<JudgeDialect, Table> = {
  anthropic: anthropicTable,
  'openai-chat': openaiTable,
  'openai-responses': responsesTable,
  gemini: geminiTable,
};
