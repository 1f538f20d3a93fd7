import type { JudgeDialect } from '../judge/index.ts';
import { isArray, isObject, type JsonRecord } from '../judge/json.ts';
import type { SignatureBinding } from './binding.ts';
import type { PrefixCacheUse } from './cache.ts';
import type { CountFunction } from './count.ts';
import { requestsThinking } from './requested-thinking.ts';
import type { Sealer } from './seal.ts';
import type { LoopbackCall, LoopbackReplyScript, LoopbackUsage, Stop } from './types.ts';

export interface ReplyCall {
  id: string;
  name: string;
  /** The arguments as text, and as an object if the text is one. */
  json: string;
  input: JsonRecord;
  /** An OpenAI tool of type `custom`: its input is free text. */
  custom: boolean;
  namespace?: string;
}

/** A scripted answer with all defaults filled in. */
export interface LoopbackReply {
  thinking: string;
  text: string;
  calls: ReplyCall[];
  stop: Stop;
  usage: LoopbackUsage;
  /** A compaction by the provider before it: `null` is a failed one. */
  compaction?: string | null;
  /** Usage of the compaction, which is not part of `usage`. */
  compacting?: { input: number; output: number };
  appliedEdits?: readonly JsonRecord[];
}

/** Everything a dialect needs to write a reply. */
export interface ResponseContext {
  reply: LoopbackReply;
  model: string;
  body: JsonRecord;
  sealer: Sealer;
  /** Seconds since the epoch. */
  created: number;
  /** The position of the thinking, if it is bound. */
  binding?: SignatureBinding;
}

const callIds: Record<JudgeDialect, string> = {
  anthropic: 'toolu',
  'openai-chat': 'call',
  'openai-responses': 'call',
  gemini: 'call',
};

export function replyOf({
  spoken,
  dialect,
  body,
  sealer,
  input,
  cache,
  count,
  skew,
  compaction,
}: {
  spoken: LoopbackReplyScript;
  dialect: JudgeDialect;
  body: JsonRecord;
  sealer: Sealer;
  /** Tokens of the prompt. */
  input: number;
  cache: PrefixCacheUse;
  count: CountFunction;
  skew: number;
  compaction?: string | null | undefined;
}): LoopbackReply {
  const { text = '' } = spoken;
  const thinking = requestsThinking({ dialect, body }) ? (spoken.thinking ?? '') : '';
  const custom = customTools(body);
  const calls = (spoken.toolCalls ?? []).map((call) => ({
    id: call.id ?? sealer.id(callIds[dialect]),
    name: call.name,
    ...(call.namespace !== undefined && { namespace: call.namespace }),
    ...argumentsOf(call),
    custom: custom.has(call.name),
  }));
  const tokens = (said: string): number => Math.ceil(count(said) * skew);
  const reasoning = thinking === '' ? 0 : tokens(thinking);
  const words = tokens(text) + calls.reduce((sum, call) => sum + tokens(call.name + call.json), 0);
  // After a compaction the prompt is the summary; the head is negligible here.
  const isCompacted = typeof compaction === 'string';
  const summary = isCompacted ? tokens(compaction) : 0;
  const counted: LoopbackUsage = {
    input: isCompacted ? Math.max(summary, 1) : input,
    cacheRead: isCompacted ? 0 : cache.read,
    cacheWrite: isCompacted ? 0 : cache.write,
    cacheWriteHour: isCompacted ? 0 : cache.writeHour,
    // "output_tokens will be non-zero, even for an empty string response" (Anthropic).
    output: Math.max(1, words + reasoning),
    reasoning,
  };
  const stop = spoken.stop ?? (calls.length > 0 ? 'tools' : 'end');
  const said = { thinking, text, calls, stop, usage: { ...counted, ...spoken.usage } };
  const { appliedEdits } = spoken;
  const edited = appliedEdits && isObject(body.context_management) ? { ...said, appliedEdits } : said;
  return compaction === undefined ? edited : { ...edited, compaction, compacting: { input, output: summary } };
}

function argumentsOf(call: LoopbackCall): { json: string; input: JsonRecord } {
  if (typeof call.arguments !== 'string') return { json: JSON.stringify(call.arguments), input: call.arguments };
  return { json: call.arguments, input: parsed(call.arguments) };
}

function parsed(text: string): JsonRecord {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function customTools(body: JsonRecord): Set<unknown> {
  const tools = isArray(body.tools) ? body.tools.filter(isObject) : [];
  return new Set(
    tools.filter(({ type }) => type === 'custom').map(({ name, custom }) => (isObject(custom) ? custom.name : name)),
  );
}

/** Splits a text into pieces of about a given size; no piece ends inside a character. */
export function pieces({ text, size }: { text: string; size: number }): string[] {
  const characters = Array.from(text);
  const list: string[] = [];
  for (let at = 0; at < characters.length; at += size) list.push(characters.slice(at, at + size).join(''));
  return list;
}
