import { isObject, type Json, type JsonObject } from '../../../json.ts';
import type { Draft, UsageEntry } from '../../entry/entry.ts';

/** Reads what calls consumed; a call may be reported twice, on its message and in an event of its own. */
export interface UsageReader {
  /** What a message says: the tokens that the model wrote, once a call. */
  readonly ofMessage: (data: JsonObject) => Draft<UsageEntry> | undefined;
  /** What the event of a call says beyond that. */
  readonly ofCall: (data: JsonObject) => Draft<UsageEntry> | undefined;
}

export function createUsageReader(): UsageReader {
  let told: { readonly call: Json | undefined; readonly output: number } | undefined;
  return {
    ofMessage(data) {
      const call = data.apiCallId ?? data.requestId;
      const output = count(data.outputTokens);
      // One call may make several messages, each with the count of the call.
      if (output === 0 || (call !== undefined && told?.call === call)) return undefined;
      told = { call, output };
      const details = { copilot: { counted: 'output' } };
      return { type: 'usage', usage: { input: 0, output, cacheRead: 0, cacheWrite: 0 }, details };
    },
    ofCall(data) {
      const isTold = told !== undefined && told.output === count(data.outputTokens);
      const isSame = isTold && (data.apiCallId === undefined || told?.call === data.apiCallId);
      told = undefined;
      return usageOf(isSame ? { ...data, outputTokens: 0 } : data);
    },
  };
}

/** The counts of a call; `inputTokens` includes what came from a cache and what went into one. */
function usageOf(counts: JsonObject): Draft<UsageEntry> | undefined {
  const cacheRead = count(counts.cacheReadTokens ?? counts.cacheRead ?? counts.cachedInput);
  const cacheWrite = count(counts.cacheWriteTokens ?? counts.cacheWrite);
  const prompt = count(counts.inputTokens ?? counts.input);
  const output = count(counts.outputTokens ?? counts.output);
  const reasoning = count(counts.reasoningTokens);
  if (prompt + output + cacheRead + cacheWrite === 0) return undefined;
  const input = Math.max(0, prompt - cacheRead - cacheWrite);
  return { type: 'usage', usage: { input, output, cacheRead, cacheWrite, ...(reasoning > 0 && { reasoning }) } };
}

/** The calls of a compaction are counted on its event. */
export function compactionUsage(used: Json | undefined): Draft<UsageEntry> | undefined {
  const counted = isObject(used) ? usageOf(used) : undefined;
  return counted && { ...counted, purpose: 'compaction' };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
