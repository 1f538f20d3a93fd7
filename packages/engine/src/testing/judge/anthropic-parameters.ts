import { invalid } from './anthropic-error.ts';
import { isObject, type Json } from './json.ts';
import type { Finding } from './verdict.ts';

/** Members of the SDK's types, stable and beta, with the sampling parameters that newer SDKs no longer name. */
const known = new Set([
  ...['model', 'max_tokens', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'stream', 'stop_sequences'],
  ...['temperature', 'top_k', 'top_p', 'metadata', 'service_tier', 'cache_control', 'container', 'diagnostics'],
  ...['inference_geo', 'output_config', 'output_format', 'speed', 'user_profile_id', 'workspace_id', 'compaction'],
  ...['context_management', 'fallback_credit_token', 'fallbacks', 'mcp_servers', 'thread', 'betas'],
]);

/**
 * What stands beside the conversation. "Extra inputs are not permitted", "range: 0..1" and the sentence on thinking are
 * as reported from the real API, from memory; the type errors are those of its other fields.
 */
export function judgeParameters(body: Json): Finding {
  for (const key of Object.keys(body))
    if (!known.has(key)) return invalid({ path: key, message: `${key}: Extra inputs are not permitted` });
  return judgeRange({ body, path: 'temperature' }) ?? judgeRange({ body, path: 'top_p' }) ?? judgeSampling(body);
}

function judgeRange({ body, path }: { body: Json; path: 'temperature' | 'top_p' }): Finding {
  const value = body[path];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number') return invalid({ path, message: `${path}: Input should be a valid number` });
  return value < 0 || value > 1 ? invalid({ path, message: `${path}: range: 0..1` }) : undefined;
}

function judgeSampling({ thinking, temperature }: Json): Finding {
  if (!isObject(thinking) || thinking.type !== 'enabled') return undefined;
  if (temperature === undefined || temperature === null || temperature === 1) return undefined;
  return invalid({
    path: 'temperature',
    message:
      '`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking',
  });
}
