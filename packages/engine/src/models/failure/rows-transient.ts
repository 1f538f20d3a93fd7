import type { FailureRow } from './row.ts';

/** Statuses that speak of the request: a word like «timeout» in such an answer is part of an explanation. */
const request = [400, 401, 402, 403, 404, 405, 422];

const network = { kind: 'network', unless: request } as const;
const rate = { kind: 'rate', unless: request } as const;

/** A provider without capacity, a broken server, a broken way there. The same request may succeed later. */
export const transientRows: readonly FailureRow[] = [
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
