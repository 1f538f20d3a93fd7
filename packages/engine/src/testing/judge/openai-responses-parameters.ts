import type { Json } from './json.ts';
import { refuse } from './openai-error.ts';
import { judgeLength, judgeNumber, judgeStreamOptions } from './openai-range.ts';
import { type Finding, firstOf } from './verdict.ts';

/** Members of the SDK's types for create (stable and beta), compact and input tokens, and codex's `client_metadata`. */
const known = new Set([
  ...['access_programs', 'background', 'context_management', 'conversation', 'image', 'include', 'input'],
  ...['instructions', 'max_output_tokens', 'max_tool_calls', 'metadata', 'model', 'moderation', 'multi_agent'],
  ...['parallel_tool_calls', 'personality', 'previous_response_id', 'prompt', 'prompt_cache_key'],
  ...['prompt_cache_options', 'prompt_cache_retention', 'reasoning', 'safety_identifier', 'service_tier', 'store'],
  ...['stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools', 'top_logprobs', 'top_p'],
  ...['truncation', 'user', 'betas', 'client_metadata'],
]);

/** Chat Completions' names, and where Responses has them. */
const moved: Record<string, string> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
};

/** What stands beside the input; the words are those of real errors, from memory. `parallel_tool_calls` needs no tools here. */
export function judgeResponsesParameters(body: Json): Finding {
  return firstOf([
    () => judgeNames(body),
    () => judgeNumber({ body, path: 'temperature', min: 0, max: 2 }),
    () => judgeNumber({ body, path: 'top_p', min: 0, max: 1 }),
    () => judgeNumber({ body, path: 'max_output_tokens', min: 16, kind: 'integer' }),
    () => judgeLength({ body, path: 'tools', limit: 128 }),
    () => judgeStreamOptions(body),
  ]);
}

function judgeNames(body: Json): Finding {
  const path = Object.keys(body).find((key) => !known.has(key));
  if (path === undefined) return undefined;
  const place = Object.hasOwn(moved, path) ? moved[path] : undefined;
  if (place === undefined) return refuse({ path, message: `Unknown parameter: '${path}'.`, code: 'unknown_parameter' });
  return refuse({
    path,
    message: `Unsupported parameter: '${path}'. In the Responses API, this parameter has moved to '${place}'. Try again with the new parameter. See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.`,
    code: 'unsupported_parameter',
  });
}
