import type { FailureRow } from './row.ts';
import { limitRows } from './rows-limits.ts';
import { overflowRows, oversizeRows } from './rows-overflow.ts';

/** Statuses that speak of the server, not of the request. */
const server = [429, 500, 502, 503, 504, 529];

/** Wordings about the key, the content or the form of a request. Sending it again cannot help. */
const requestRows: readonly FailureRow[] = [
  {
    kind: 'auth',
    provider: 'anthropic',
    pattern: /invalid x-api-key|authentication_error/i,
    example: 'invalid x-api-key',
  },
  {
    kind: 'auth',
    provider: 'anthropic',
    pattern: /permission_error|OAuth token has (?:expired|been revoked)/i,
    example: 'OAuth token has expired. Please obtain a new token or refresh your existing token.',
  },
  {
    kind: 'auth',
    provider: 'openai',
    pattern: /incorrect api key provided|invalid_api_key/i,
    example:
      'Incorrect API key provided: sk-proj-********abcd. You can find your API key at https://platform.openai.com/account/api-keys.',
  },
  // Google sends this with status 400.
  {
    kind: 'auth',
    provider: 'google',
    pattern: /api key not valid|API_KEY_INVALID|\bUNAUTHENTICATED\b|\bPERMISSION_DENIED\b/i,
    example: '400 API key not valid. Please pass a valid API key.',
  },
  { kind: 'auth', provider: 'openrouter', pattern: /no auth credentials found/i, example: 'No auth credentials found' },
  {
    kind: 'auth',
    provider: 'bedrock',
    pattern: /security token included in the request is (?:invalid|expired)|UnrecognizedClientException/i,
    example: 'The security token included in the request is invalid.',
  },

  {
    kind: 'refused',
    provider: 'azure',
    pattern: /content management policy|\bcontent_filter\b/i,
    example:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
  },
  {
    kind: 'refused',
    provider: 'openai',
    pattern: /flagged as potentially violating our usage policy|result of our safety system/i,
    example: 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.',
  },
  {
    kind: 'refused',
    provider: 'anthropic',
    pattern: /blocked by content filtering policy/i,
    example: 'Output blocked by content filtering policy',
  },
  {
    kind: 'refused',
    provider: 'google',
    pattern: /\bPROHIBITED_CONTENT\b|"blockReason"/,
    example: `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`,
  },
  {
    kind: 'refused',
    provider: 'dashscope',
    pattern: /data_inspection_failed|DataInspectionFailed/i,
    example: 'data_inspection_failed: Input data may contain inappropriate content.',
  },

  {
    kind: 'invalid',
    provider: 'anthropic',
    pattern: /`?tool_use`? ids were found without `?tool_result`? blocks|unexpected `?tool_use_id`?/i,
    example:
      'messages.2: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  },
  {
    kind: 'invalid',
    provider: 'anthropic',
    pattern: /does not support assistant message prefill/i,
    example: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    kind: 'invalid',
    provider: 'anthropic',
    pattern: /invalid `?(?:signature|data)`? in `?(?:redacted_)?thinking`? block/i,
    rejectsThinking: true,
    example: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    kind: 'invalid',
    provider: 'anthropic',
    pattern: /`?redacted_thinking`? blocks in the latest assistant message cannot be modified/i,
    rejectsThinking: true,
    example:
      'messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
  },
  {
    kind: 'invalid',
    provider: 'openai',
    pattern: /\binvalid_encrypted_content\b|encrypted content .{0,200}could not be verified/i,
    rejectsThinking: true,
    example:
      'The encrypted content for item rs_01 could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
  },
  {
    kind: 'invalid',
    provider: 'google',
    pattern: /(?:corrupted|invalid) thought signature|thought signature is (?:not valid|invalid)/i,
    rejectsThinking: true,
    example: 'Corrupted thought signature.',
  },
  {
    kind: 'invalid',
    provider: 'openai',
    pattern: /must be followed by tool messages responding to each/i,
    example:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
  },
  {
    kind: 'invalid',
    provider: 'google',
    pattern: /missing a `?thought_signature|function call turn comes immediately after/i,
    example:
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  },
  {
    kind: 'invalid',
    provider: 'openai, anthropic',
    pattern: /\bmodel_not_found\b|\bnot_found_error\b/i,
    example: `{"type":"error","error":{"type":"not_found_error","message":"model: claude-opus-9"}}`,
  },
  {
    kind: 'invalid',
    provider: 'anthropic, openai, google',
    pattern: /\binvalid_request_error\b|\bINVALID_ARGUMENT\b/,
    unless: server,
    example: `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens: Field required"}}`,
  },
];

/** Statuses that speak of the request: a word like «timeout» in such an answer is part of an explanation. */
const request = [400, 401, 402, 403, 404, 405, 422];

const network = { kind: 'network', unless: request } as const;
const rate = { kind: 'rate', unless: request } as const;

/** A provider without capacity, a broken server, a broken way there. The same request may succeed later. */
const transientRows: readonly FailureRow[] = [
  {
    ...rate,
    provider: 'anthropic, google',
    pattern: /overloaded/i,
    example: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`,
  },
  { ...rate, provider: 'litellm', pattern: /rate_?limit/i, example: 'litellm.RateLimitError: AnthropicException' },
  {
    ...rate,
    provider: 'google, nvidia',
    pattern: /resource(?: has been |_| )?exhausted/i,
    example: 'Resource has been exhausted (e.g. check quota).',
  },
  {
    ...rate,
    provider: 'deepseek',
    pattern: /server_busy|servers are currently busy/i,
    example: 'Our servers are currently busy, please try again later.',
  },
  {
    ...rate,
    provider: 'openai',
    pattern: /experiencing high demand|model is at capacity|no capacity available/i,
    example: 'We are currently experiencing high demand, which may cause temporary errors.',
  },
  {
    ...rate,
    provider: 'any',
    pattern: /service.?(?:is.?)?(?:temporarily.?)?unavailable/i,
    example: 'The service is temporarily unavailable',
  },
  {
    ...rate,
    provider: 'pi',
    pattern: /requested \d+s retry delay|retry delay/i,
    example: 'Server requested 95s retry delay (max: 60s).',
  },

  {
    ...network,
    provider: 'node',
    pattern: /\b(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|EHOSTUNREACH|ENETUNREACH)\b/,
    example: 'connect ECONNREFUSED 127.0.0.1:8080',
  },
  {
    ...network,
    provider: 'node',
    pattern: /\b(?:ENOTFOUND|EAI_AGAIN)\b|getaddrinfo/,
    example: 'getaddrinfo ENOTFOUND api.openai.com',
  },
  { ...network, provider: 'undici', pattern: /\bUND_ERR_(?!ABORTED)\w+/, example: 'UND_ERR_HEADERS_TIMEOUT' },
  {
    ...network,
    provider: 'any',
    pattern: /\bETIMEDOUT\b|\btim(?:ed?|e) ?-?out\b/i,
    example: 'The operation was aborted due to timeout',
  },
  {
    ...network,
    provider: 'undici',
    pattern: /fetch failed|other side closed|^(?:TypeError: )?terminated$/i,
    example: 'TypeError: terminated',
  },
  { ...network, provider: 'node', pattern: /socket hang up|socket connection was closed/i, example: 'socket hang up' },
  {
    ...network,
    provider: 'any',
    pattern: /(?:network|connection) ?error|connection (?:was )?(?:refused|reset|lost|closed)/i,
    example: 'Connection error.',
  },
  {
    ...network,
    provider: 'envoy',
    pattern: /upstream connect|reset before headers/i,
    example: 'upstream connect error or disconnect/reset before headers. reset reason: connection termination',
  },
  { ...network, provider: 'any', pattern: /websocket.?(?:closed|error)/i, example: 'WebSocket closed 1006' },

  // Premature ends (earendil-works/pi#4433, #3594, #10379, #11057).
  {
    ...network,
    provider: 'anthropic',
    pattern: /stream ended (?:before|without)|ended without (?:sending|its|a)\b/i,
    example: 'Anthropic stream ended before message_stop',
  },
  { ...network, provider: 'node', pattern: /premature close|ERR_STREAM_PREMATURE_CLOSE/i, example: 'Premature close' },
  {
    ...network,
    provider: 'codex',
    pattern: /stream disconnected before completion|stream was interrupted/i,
    example: 'stream disconnected before completion: stream closed before response.completed',
  },
  {
    ...network,
    provider: 'bedrock',
    pattern: /http2 request did not get a response|pending stream has been canceled|http\/?2 stream failed/i,
    example: 'http2 request did not get a response',
  },

  // Servers and gateways that broke.
  {
    ...network,
    provider: 'openai',
    pattern: /(?:can retry|try|please retry) your request/i,
    example:
      'The server had an error processing your request. Sorry about that! You can retry your request, or contact us through our help center.',
  },
  {
    ...network,
    provider: 'any',
    pattern: /internal.?(?:server.?)?error|server.?error/i,
    example: 'Internal server error',
  },
  {
    ...network,
    provider: 'anthropic',
    pattern: /"api_error"|"timeout_error"/,
    example: `{"type":"error","error":{"type":"api_error"}}`,
  },
  {
    ...network,
    provider: 'openrouter',
    pattern: /provider.?returned.?(?:an.?)?error/i,
    example: 'Provider returned error',
  },
  {
    ...network,
    provider: 'gateways',
    pattern: /upstream.?(?:request.?failed|stream_read_error)|unable to forward upstream|retrying upstream/i,
    example: 'exceeded request buffer limit while retrying upstream',
  },
];

/**
 * All wordings, in the order in which they are tried: requests too large for any rate limit, what excludes overflow, overflow, what is wrong with the request,
 * what may pass. Statuses decide only where no wording does (see `classifyFailure`).
 *
 * @example
 * failureTable.filter((row) => row.kind === 'overflow').map((row) => `${row.provider}: ${row.example}`);
 */
export const failureTable: readonly FailureRow[] = [
  ...oversizeRows,
  ...limitRows,
  ...overflowRows,
  ...requestRows,
  ...transientRows,
];
