import type { FailureRow } from './row.ts';

/** Statuses that speak of the server, not of the request. */
const server = [429, 500, 502, 503, 504, 529];

/** Wordings about the key, the content or the form of a request. Sending it again cannot help. */
export const requestRows: readonly FailureRow[] = [
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
    pattern: /invalid `?signature`? in `?thinking`? block/i,
    example: 'messages.1.content.0: Invalid `signature` in `thinking` block',
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
