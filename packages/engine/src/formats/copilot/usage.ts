import { isObject, type Json, type JsonObject } from '../../json.ts';
import type { Draft, UsageEntry } from '../../session/index.ts';
import { amount, usageNote } from '../usage.ts';

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
      const output = amount(data.outputTokens);
      // One call may make several messages, each with the count of the call.
      if (output === 0 || (call !== undefined && told?.call === call)) return undefined;
      told = { call, output };
      const note = usageNote({ output });
      return note && { ...note, details: { copilot: { counted: 'output' } } };
    },
    ofCall(data) {
      const isTold = told !== undefined && told.output === amount(data.outputTokens);
      const isSame = isTold && (data.apiCallId === undefined || told?.call === data.apiCallId);
      told = undefined;
      return usageOf(isSame ? { ...data, outputTokens: 0 } : data);
    },
  };
}

function usageOf(counts: JsonObject): Draft<UsageEntry> | undefined {
  return usageNote({
    prompt: counts.inputTokens ?? counts.input ?? 0,
    cacheRead: counts.cacheReadTokens ?? counts.cacheRead ?? counts.cachedInput,
    cacheWrite: counts.cacheWriteTokens ?? counts.cacheWrite,
    output: counts.outputTokens ?? counts.output,
    reasoning: counts.reasoningTokens,
  });
}

/** The calls of a compaction are counted on its event. */
export function compactionUsage(used: Json | undefined): Draft<UsageEntry> | undefined {
  const counted = isObject(used) ? usageOf(used) : undefined;
  return counted && { ...counted, purpose: 'compaction' };
}
