import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { Draft, UsageEntry } from '../../session/index.ts';
import { amount, usageNote } from '../usage.ts';

/** Reads what calls consumed off the running reports of a rollout. */
export interface UsageReader {
  /** The report as a note; `undefined` where it repeats the last one or counts nothing. */
  readonly take: (payload: JsonObject) => Draft<UsageEntry> | undefined;
  /** How large the context was when it was last reported. */
  readonly contextTokens: number;
}

/**
 * Codex reports after every call, and again when only the rate limits changed, or when it guesses the size of a compacted
 * context: then the running total stands still. Newer versions write the same numbers in records of their own.
 *
 * @example
 * const usage = createUsageReader();
 * usage.take({ type: 'token_count', info: { total_token_usage: total, last_token_usage: last } });
 */
export function createUsageReader(): UsageReader {
  let total = '';
  let contextTokens = 0;
  return {
    get contextTokens() {
      return contextTokens;
    },
    take(payload) {
      const report = isObject(payload.info)
        ? { last: payload.info.last_token_usage, total: payload.info.total_token_usage }
        : { last: payload.usage, total: payload.thread_token_usage };
      if (!isObject(report.last)) return undefined;
      const { last } = report;
      contextTokens = amount(last.total_tokens) || contextTokens;
      const sum = keyOf(report.total);
      if (sum !== '' && sum === total) return undefined;
      total = sum;
      return usageOf(last);
    },
  };
}

function usageOf(counts: JsonObject): Draft<UsageEntry> | undefined {
  return usageNote({
    prompt: counts.input_tokens,
    cacheRead: counts.cached_input_tokens,
    cacheWrite: counts.cache_write_input_tokens,
    output: counts.output_tokens,
    reasoning: counts.reasoning_output_tokens,
  });
}

function keyOf(total: Json | undefined): string {
  if (!isObject(total)) return '';
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = total;
  return JSON.stringify([input, cached, output]);
}
