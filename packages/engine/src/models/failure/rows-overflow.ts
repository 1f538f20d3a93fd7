import type { FailureRow } from './row.ts';
import { usageOverTime } from './rows-limits.ts';

/** Statuses of a server that is busy or broken: with them a general phrase about tokens is not about the window. */
const busy = [429, 500, 502, 503, 504, 529];

/**
 * Sent as a rate limit, but the request can never succeed at this size. They are matched before all other limits.
 */
export const oversizeRows: readonly FailureRow[] = [
  // Sent as 429, but no wait helps: the subscription ends at the old window (NousResearch/hermes-agent#4747).
  {
    kind: 'overflow',
    provider: 'anthropic',
    pattern: /extra usage is required for long context/i,
    example: `429 {"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}}`,
    implied: 200_000,
  },
  // The limit is a minute's, but no wait lets a request through that alone exceeds it (continuedev/continue#10218).
  {
    kind: 'overflow',
    provider: 'groq, openai',
    pattern: /request too large for [^\n]{0,200}?\(TPM\): Limit (?<limit>\d+), Requested (?<used>\d+)/i,
    example:
      '413 Request too large for model `llama-3.3-70b-versatile` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, please reduce your message size and try again. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing',
    limit: 12_000,
    used: 14_137,
  },
];

/**
 * «The request is too large», in each provider's words. Specific wordings first, so that the numbers are caught; general
 * phrases last.
 */
export const overflowRows: readonly FailureRow[] = [
  {
    kind: 'overflow',
    provider: 'ollama',
    pattern: /prompt too long; exceeded (?:max )?context length/i,
    example: 'prompt too long; exceeded max context length by 4 tokens',
  },
  {
    kind: 'overflow',
    provider: 'anthropic',
    pattern: /prompt is too long(?::\s*(?<used>[\d,]+) tokens? > (?<limit>[\d,]+) maximum)?/i,
    example: 'prompt is too long: 213462 tokens > 200000 maximum',
    limit: 200_000,
    used: 213_462,
  },
  // continuedev/continue#6080: the prompt alone fits, prompt and answer do not.
  {
    kind: 'overflow',
    provider: 'anthropic',
    pattern:
      /input length and `?max_tokens`? exceed context limit(?::\s*(?<used>[\d,]+)\s*\+\s*[\d,]+\s*>\s*(?<limit>[\d,]+))?/i,
    example:
      'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again',
    limit: 200_000,
    used: 199_759,
  },
  {
    kind: 'overflow',
    provider: 'anthropic',
    pattern: /request_too_large/i,
    example: `413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`,
  },
  {
    kind: 'overflow',
    provider: 'z.ai',
    pattern: /prompt too long/i,
    example: `{"code":"1261","message":"Prompt too long"}`,
  },
  {
    kind: 'overflow',
    provider: 'z.ai (CN)',
    pattern: /prompt exceeds max length/i,
    example: `{"code":"1261","message":"Prompt exceeds max length"}`,
  },
  {
    kind: 'overflow',
    provider: 'z.ai, anthropic',
    pattern: /model_context_window_exceeded/i,
    example: 'Unhandled stop reason: model_context_window_exceeded',
  },
  {
    kind: 'overflow',
    provider: 'bedrock',
    pattern: /input is too long for requested model/i,
    example: 'Input is too long for requested model.',
  },
  {
    kind: 'overflow',
    provider: 'bedrock (Nova)',
    pattern: /input tokens exceeded/i,
    unless: busy,
    without: usageOverTime,
    example: 'Input Tokens Exceeded',
  },
  {
    kind: 'overflow',
    provider: 'openai',
    pattern: /exceeds the context window/i,
    example: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  // OpenAI, OpenRouter, vLLM and DeepSeek differ only in the words between the two numbers.
  {
    kind: 'overflow',
    provider: 'openai, openrouter',
    pattern: /maximum context length is (?<limit>[\d,]+) tokens(?:\D{0,80}?(?<used>\d[\d,]*) (?:input )?tokens)?/i,
    example:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
    limit: 128_000,
    used: 130_000,
  },
  {
    kind: 'overflow',
    provider: 'google',
    pattern:
      /input token count(?: \((?<used>[\d,]+)\))? ?[^\n]{0,40}?exceeds the maximum(?: number of tokens allowed)?(?: \(?(?<limit>[\d,]+))?/i,
    example: 'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    limit: 1_048_576,
    used: 1_048_577,
  },
  // google-gemini/gemini-cli#19727
  {
    kind: 'overflow',
    provider: 'vertex',
    pattern: /input token count is (?<used>[\d,]+) but (?:the )?model only supports up to (?<limit>\d[\d,]*)/i,
    example:
      'Unable to submit request because the input token count is 1251952 but model only supports up to 1048576. Reduce the input token count and try again.',
    limit: 1_048_576,
    used: 1_251_952,
  },
  {
    kind: 'overflow',
    provider: 'xai',
    pattern: /maximum prompt length is (?<limit>[\d,]+)(?: but the request contains (?<used>[\d,]+) tokens)?/i,
    example: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    limit: 131_072,
    used: 537_812,
  },
  {
    kind: 'overflow',
    provider: 'groq',
    pattern: /reduce the length of the messages/i,
    example: 'Please reduce the length of the messages or completion.',
  },
  {
    kind: 'overflow',
    provider: 'copilot',
    pattern: /prompt token count of (?<used>[\d,]+) exceeds the limit of (?<limit>[\d,]+)/i,
    example: 'prompt token count of 135342 exceeds the limit of 128000',
    limit: 128_000,
    used: 135_342,
  },
  // The body has the numbers that the message of the next row leaves out.
  {
    kind: 'overflow',
    provider: 'llama.cpp',
    pattern: /"n_prompt_tokens\\?"\s*:\s*(?<used>\d+)\s*,\s*\\?"n_ctx\\?"\s*:\s*(?<limit>\d+)/,
    example: `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":14429,"n_ctx":8192}}`,
    limit: 8192,
    used: 14_429,
  },
  {
    kind: 'overflow',
    provider: 'llama.cpp',
    pattern: /(?:request \((?<used>\d+) tokens\) )?exceeds the available context size(?: \((?<limit>\d+) tokens\))?/i,
    example: 'request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it',
    limit: 4096,
    used: 5000,
  },
  {
    kind: 'overflow',
    provider: 'llama-cpp-python',
    pattern: /requested tokens \((?<used>\d+)\) exceed context window of (?<limit>\d+)/i,
    example: 'Requested tokens (516) exceed context window of 512',
    limit: 512,
    used: 516,
  },
  // vLLM also sends this with status 500.
  {
    kind: 'overflow',
    provider: 'vllm',
    pattern: /prompt \(length (?<used>\d+)\) is longer than the maximum model length of (?<limit>\d+)/i,
    example: 'The decoder prompt (length 15983) is longer than the maximum model length of 8192.',
    limit: 8192,
    used: 15_983,
  },
  {
    kind: 'overflow',
    provider: 'tgi',
    pattern:
      /`?inputs`? tokens \+ `?max_new_tokens`? must be <= (?<limit>\d+)(?:\. Given: (?<used>\d+) `?inputs`? tokens)?/i,
    example: '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4012 `inputs` tokens and 512 `max_new_tokens`',
    limit: 4096,
    used: 4012,
  },
  {
    kind: 'overflow',
    provider: 'lm-studio',
    pattern:
      /keep the first (?<used>\d+) tokens when context the overflows(?:[^\n]{0,80}?context length of only (?<limit>\d+))?/i,
    example:
      'Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.',
    limit: 7866,
    used: 10_136,
  },
  // Also sent with status 500.
  {
    kind: 'overflow',
    provider: 'lm-studio',
    pattern: /context size has been exceeded/i,
    example: 'Context size has been exceeded.',
  },
  {
    kind: 'overflow',
    provider: 'lm-studio',
    pattern: /greater than the context length/i,
    example: 'The number of tokens to keep from the initial prompt is greater than the context length.',
  },
  {
    kind: 'overflow',
    provider: 'minimax',
    pattern: /context window exceeds limit/i,
    example: 'invalid params, context window exceeds limit (2013)',
  },
  {
    kind: 'overflow',
    provider: 'kimi',
    pattern: /exceeded model token limit(?:: (?<limit>\d+)(?: \(requested: (?<used>\d+)\))?)?/i,
    example: 'Your request exceeded model token limit: 262144 (requested: 291351)',
    limit: 262_144,
    used: 291_351,
  },
  {
    kind: 'overflow',
    provider: 'mistral',
    pattern:
      /(?:prompt contains (?<used>\d+) tokens[^\n]{0,60}?)?too large for model with (?<limit>\d+) maximum context length/i,
    example: 'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    limit: 32_768,
    used: 40_960,
  },
  {
    kind: 'overflow',
    provider: 'litellm, sglang',
    pattern: /exceeds (?:the )?(?:model'?s )?maximum context length of (?<limit>[\d,]+) tokens?/i,
    example: "Requested token count exceeds the model's maximum context length of 131,072 tokens.",
    limit: 131_072,
  },
  {
    kind: 'overflow',
    provider: 'openai-compatible',
    pattern:
      /(?:input length \((?<used>[\d,]+)\) )?exceeds (?:the )?(?:model'?s )?maximum context length \((?<limit>[\d,]+)\)/i,
    example: "Input length (265330) exceeds model's maximum context length (262144).",
    limit: 262_144,
    used: 265_330,
  },
  {
    kind: 'overflow',
    provider: 'litellm',
    pattern: /context ?window ?exceeded/i,
    example: 'litellm.ContextWindowExceededError: Context Window exceeded for given call.',
  },
  {
    kind: 'overflow',
    provider: 'poolside',
    pattern:
      /(?:input length (?<used>[\d,]+) )?exceeds (?:the )?maximum allowed input length of (?<limit>[\d,]+) tokens?/i,
    example: 'Input length 140000 exceeds the maximum allowed input length of 131,072 tokens.',
    limit: 131_072,
    used: 140_000,
  },
  {
    kind: 'overflow',
    provider: 'together',
    pattern: /input \((?<used>\d+) tokens\) is longer than the model'?s context length \((?<limit>\d+) tokens\)/i,
    example: "The input (140000 tokens) is longer than the model's context length (131072 tokens).",
    limit: 131_072,
    used: 140_000,
  },
  {
    kind: 'overflow',
    provider: 'ds4',
    pattern: /prompt has (?<used>[\d,]+) tokens?, but the configured context size is (?<limit>[\d,]+) tokens?/i,
    example: 'Prompt has 70000 tokens, but the configured context size is 65536 tokens',
    limit: 65_536,
    used: 70_000,
  },
  {
    kind: 'overflow',
    provider: 'dashscope',
    pattern: /range of input length should be(?: \[\d+, ?(?<limit>\d+)\])?/i,
    example: 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]',
    limit: 129_024,
  },
  // Not of images, tools or bytes: «exceeds the limit of 20 images».
  {
    kind: 'overflow',
    provider: 'copilot',
    pattern:
      /exceeds the limit of (?<limit>\d[\d,]*)(?![\d,]*\s*(?:images?|requests?|files?|tools?|pages?|bytes|[kmg]i?b)\b)/i,
    without: usageOverTime,
    example: 'exceeds the limit of 64000',
    limit: 64_000,
  },
  {
    kind: 'overflow',
    provider: 'any',
    pattern: /context[_ ]length[_ ]exceeded/i,
    example: `{"error":{"type":"invalid_request_error","code":"context_length_exceeded"}}`,
  },
  {
    kind: 'overflow',
    provider: 'any',
    pattern: /too many tokens/i,
    unless: busy,
    without: usageOverTime,
    example: 'too many tokens',
  },
  {
    kind: 'overflow',
    provider: 'any',
    pattern: /token limit exceeded/i,
    unless: busy,
    without: usageOverTime,
    example: 'token limit exceeded',
  },
  // Only Cerebras answers an overflow without a body; from others it is a broken request (earendil-works/pi#9482).
  {
    kind: 'overflow',
    provider: 'cerebras',
    only: ['cerebras'],
    pattern: /^4(?:00|13)(?: status code)? \(no body\)/i,
    example: '400 status code (no body)',
  },
  // 413 is a size limit for every provider. Only at the start: a 413 inside a text may be anything.
  {
    kind: 'overflow',
    provider: 'any',
    pattern: /^(?:[\w .-]{1,40} API error \(413\):|413(?:[\s:]|$))/i,
    example: 'github-copilot API error (413): {"message":"failed to parse request","code":""}',
  },
];
