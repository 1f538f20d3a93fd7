import { isObject, type Json, type JsonObject } from '../../../json.ts';
import type { Draft, UsageEntry } from '../../entry/entry.ts';

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
      contextTokens = count(last.total_tokens) || contextTokens;
      const sum = keyOf(report.total);
      if (sum !== '' && sum === total) return undefined;
      total = sum;
      return usageOf(last);
    },
  };
}

/** The counts of a call: `input_tokens` includes what came from a cache and what went into one. */
function usageOf(counts: JsonObject): Draft<UsageEntry> | undefined {
  const cacheRead = count(counts.cached_input_tokens);
  const cacheWrite = count(counts.cache_write_input_tokens);
  const input = Math.max(0, count(counts.input_tokens) - cacheRead - cacheWrite);
  const output = count(counts.output_tokens);
  const reasoning = count(counts.reasoning_output_tokens);
  if (input + output + cacheRead + cacheWrite === 0) return undefined;
  return { type: 'usage', usage: { input, output, cacheRead, cacheWrite, ...(reasoning > 0 && { reasoning }) } };
}

function keyOf(total: Json | undefined): string {
  if (!isObject(total)) return '';
  const { input_tokens: input, cached_input_tokens: cached, output_tokens: output } = total;
  return JSON.stringify([input, cached, output]);
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
