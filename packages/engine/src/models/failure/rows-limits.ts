import type { FailureRow } from './row.ts';

/** Statuses that reject the request: a general phrase in such an answer is quoted from it, as from a tool's schema. */
const rejected = [400, 404, 422];

/** How a rejection of a parameter begins; what follows is quoted from the request. */
const rejection =
  /^\s*(?:4\d\d\s+)?(?:\w+Error:\s*)?(?:invalid|unknown|unsupported|unrecognized|unexpected|missing|malformed|\d+ validation errors?|(?:tools|messages|system|input)[.[]\S*:)/i;

const period = '(?:second|sec|minute|min|hour|day|week|month)';

/**
 * Vocabulary of limits on usage over time. An error text that contains it is not about the context window, whatever it
 * says about tokens.
 */
export const usageOverTime = new RegExp(
  [
    'rate[ _-]?limit',
    'too many requests',
    'throttl',
    'quota',
    `(?:tokens?|requests?)[ _-]?(?:per|/)[ _-]?${period}`,
    `(?:per|this|each|current|last) ${period}\\b`,
    '\\b(?:hourly|daily|weekly|monthly)\\b',
    '\\b(?:[IO]?TP[MDH]|RP[MDHS])\\b',
  ].join('|'),
  'i',
);

/**
 * Quotas and throttling. They stand before the overflow rows because both speak of tokens and limits: throttling taken
 * for overflow compacts a conversation that fits (earendil-works/pi#1038, #2699). Their own order matters as well:
 * Google and Groq name a quota or a billing page where only a minute has to pass.
 */
export const limitRows: readonly FailureRow[] = [
  // Google lists every limit that was hit; one that lasts a day outweighs one that lasts a minute (googleapis/python-genai#2044).
  {
    kind: 'quota',
    provider: 'google',
    pattern: /quotaId['"\s:\\]{1,12}[\w-]{0,80}PerDay/i,
    example: `429 RESOURCE_EXHAUSTED. {'error': {'message': 'You exceeded your current quota, please check your plan and billing details.', 'details': [{'violations': [{'quotaId': 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'}, {'quotaId': 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier'}]}]}}`,
  },
  {
    kind: 'rate',
    provider: 'google',
    pattern: /quotaId['"\s:\\]{1,12}[\w-]{0,80}PerMinute/i,
    example: `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateContentInputTokensPerModelPerMinute-FreeTier"}]},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"12s"}]}}`,
  },
  {
    kind: 'rate',
    provider: 'google',
    pattern: /exceeded your current quota[\s\S]{0,1000}please retry in [\d.]+ ?m?s/i,
    example:
      'You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000\nPlease retry in 38.53s.',
  },
  {
    kind: 'rate',
    provider: 'vertex',
    pattern: /quota exceeded for [^\n]{0,160}per_minute/i,
    example:
      '429 Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model with base model: gemini-pro. Please submit a quota increase request.',
  },

  // Money and allowances: never retried.
  {
    kind: 'quota',
    provider: 'openai',
    pattern: /(?:^|\b(?:code|type)\\?["']\s*:\s*\\?["'])insufficient_quota(?:\\?["']|$)/i,
    example: `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`,
  },
  {
    kind: 'quota',
    provider: 'openai-compatible',
    pattern: /insufficient_quota/i,
    unless: rejected,
    example: 'Error: insufficient_quota',
  },
  {
    kind: 'quota',
    provider: 'kimi',
    pattern: /exceeded_current_quota_error/i,
    example: `{"error":{"message":"Your account is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}`,
  },
  {
    kind: 'quota',
    provider: 'openai, google',
    pattern: /exceeded your current quota|check your plan and billing/i,
    example: 'You exceeded your current quota, please check your plan and billing details.',
  },
  {
    kind: 'quota',
    provider: 'openai',
    pattern: /billing[ _]hard[ _]limit/i,
    example: 'Billing hard limit has been reached',
  },
  {
    kind: 'quota',
    provider: 'chatgpt',
    pattern: /usage_limit_reached|subscription_sharing_(?:workplace_individual_)?usage_limit_exceeded/i,
    example: `{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus"}}`,
  },
  {
    kind: 'quota',
    provider: 'chatgpt',
    pattern: /hit your usage limit/i,
    example: "You've hit your usage limit",
  },
  {
    kind: 'quota',
    provider: 'xai',
    pattern: /used all available credits|reached its monthly spending limit/i,
    example:
      'Your team has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit.',
  },
  {
    kind: 'quota',
    provider: 'anthropic',
    pattern: /credit balance is too low|billing_error/i,
    example:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  {
    kind: 'quota',
    provider: 'anthropic',
    pattern: /reached your specified (?:\w+ )?usage limits|out of extra usage/i,
    example: 'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
  },
  {
    kind: 'quota',
    provider: 'deepseek',
    pattern: /insufficient[ _]balance/i,
    example: '402 Insufficient Balance',
  },
  {
    kind: 'quota',
    provider: 'openrouter',
    pattern: /insufficient credits|requires more credits/i,
    example:
      'This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 5333.',
  },
  {
    kind: 'quota',
    provider: 'opencode',
    pattern: /(?:Go|Free)UsageLimitError|available balance/i,
    unless: rejected,
    example: `{"type":"error","error":{"type":"FreeUsageLimitError"}}`,
  },
  // earendil-works/pi#11537: sent as 429, resets after hours.
  {
    kind: 'quota',
    provider: 'z.ai',
    pattern: /"code"\s*:\s*"?1308(?!\d)/,
    example: `{"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-11-15 18:00:00"}}`,
  },
  {
    kind: 'quota',
    provider: 'litellm',
    pattern: /budget has been exceeded|out of budget/i,
    example: 'Budget has been exceeded! Current cost: 10.02, Max budget: 10.0',
  },
  {
    kind: 'quota',
    provider: 'gateways',
    pattern:
      /\b(?:usage|(?:hourly|daily|weekly|monthly|plan|subscription|spend(?:ing)?)(?: (?:usage|token|request|spend(?:ing)?))?) (?:limit|cap|allowance)s? (?:reached|exceeded|has been|have been)/i,
    unless: rejected,
    example: 'Monthly usage limit reached',
  },
  {
    kind: 'quota',
    provider: 'gateways',
    pattern: /quota[ _]exceeded/i,
    unless: rejected,
    example: 'quota exceeded',
  },

  // Exclusions from overflow: Bedrock throttles with the words «Too many tokens».
  {
    kind: 'rate',
    provider: 'bedrock',
    pattern: /^Throttling error:/i,
    example: 'Throttling error: Too many tokens, please wait before trying again.',
  },
  {
    kind: 'rate',
    provider: 'bedrock',
    pattern: /ThrottlingException|too many tokens(?: per \w+)?, please wait/i,
    example: 'ThrottlingException: Too many tokens, please wait before trying again.',
  },
  {
    kind: 'rate',
    provider: 'bedrock',
    pattern: /^Service unavailable:|ServiceUnavailableException/i,
    example: 'Service unavailable: Bedrock is unable to process your request.',
  },
  {
    kind: 'rate',
    provider: 'anthropic, groq',
    pattern: /rate limit/i,
    unless: rejected,
    example:
      'Rate limit reached for model `llama-3.1-8b-instant` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
  },
  {
    kind: 'rate',
    provider: 'any',
    pattern: /too many requests/i,
    unless: rejected,
    example: '429 Too Many Requests',
  },

  // Whole statements about limits over time. Gateways send them with any status, 400 and 413 included.
  {
    kind: 'rate',
    provider: 'gateways',
    pattern:
      /rate[ _-]?limit(?:s|ed|ing)?(?![a-z])[^\n"']{0,80}?(?:exceeded|reached|hit|too many|tokens)|(?:exceed(?:s|ed|ing)?|reached|hit)\b[^\n"']{0,80}?\brate[ _-]?limit|\b(?:code|type)\\?["']\s*:\s*\\?["']rate_limit/i,
    without: rejection,
    example: `{"error":{"message":"too many tokens","code":"rate_limit_exceeded"}}`,
  },
  {
    kind: 'quota',
    provider: 'gateways',
    pattern:
      /\b(?:hourly|daily|weekly|monthly)\b[^\n"']{0,40}?\b(?:limit|quota|cap|allowance)s?\b|\bquota\b[^\n"']{0,40}?(?:exceeded|exhausted|reached|used up)|exceed(?:s|ed|ing)?\b[^\n"']{0,60}?\bquota\b/i,
    without: rejection,
    example: 'You have exceeded the token quota of this key',
  },
  {
    kind: 'rate',
    provider: 'gateways',
    pattern: new RegExp(
      `\\btokens?\\b[^\\n"']{0,40}?(?:\\bper\\b|/|\\b(?:this|each|current|last)\\b)[ _-]?${period}\\b|tokens?_per_${period}|\\b[IO]?TP[MDH]\\b`,
      'i',
    ),
    without: rejection,
    example: 'Too many tokens per minute',
  },
];
