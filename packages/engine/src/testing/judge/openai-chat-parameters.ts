import type { Json } from './json.ts';
import { refuse } from './openai-error.ts';
import { judgeLength, judgeNumber, judgeStreamOptions } from './openai-range.ts';
import { type Finding, firstOf } from './verdict.ts';

/** Members of the SDK's ChatCompletionCreateParams. */
const known = new Set([
  ...['messages', 'model', 'audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs'],
  ...['max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'moderation', 'n', 'parallel_tool_calls'],
  ...['prediction', 'presence_penalty', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['reasoning_effort', 'response_format', 'safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream'],
  ...['stream_options', 'temperature', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity'],
  'web_search_options',
]);

/** What stands beside the messages; the words are those of real errors, from memory. */
export function judgeChatParameters(body: Json): Finding {
  return firstOf([
    () => judgeNames(body),
    () => judgeNumber({ body, path: 'temperature', min: 0, max: 2 }),
    () => judgeNumber({ body, path: 'top_p', min: 0, max: 1 }),
    () => judgeNumber({ body, path: 'n', min: 1, kind: 'integer' }),
    () => judgeLength({ body, path: 'stop', limit: 4 }),
    () => judgeLength({ body, path: 'tools', limit: 128 }),
    () => judgeStreamOptions(body),
    () => judgeTogether(body),
  ]);
}

function judgeNames(body: Json): Finding {
  const path = Object.keys(body).find((key) => !known.has(key));
  if (path === undefined) return undefined;
  return refuse({ path, param: '', message: `Unrecognized request argument supplied: ${path}` });
}

function judgeTogether(body: Json): Finding {
  if (body.max_tokens != null && body.max_completion_tokens != null)
    return refuse({
      path: 'max_tokens',
      message: "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    });
  if (body.parallel_tool_calls != null && body.tools == null)
    return refuse({
      path: 'parallel_tool_calls',
      message:
        "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
    });
  return undefined;
}
