import { isObject } from '../../json.ts';
import type { Dialect } from '../../message/index.ts';
import { type EndReason, readUsage, type Usage } from '../../models/index.ts';

const reasons: Readonly<Record<string, Exclude<EndReason, 'aborted'>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'refused',
  error: 'failed',
  interrupted: 'failed',
};

/** Provider's words for «send the same again»; AI SDK has none. */
const pauses = ['pause_turn', 'compaction'];

/** Since version 3 a reason has two names, before it was one. */
export function reasonOf(reason: unknown): Exclude<EndReason, 'aborted'> {
  const { unified, raw } = isObject(reason) ? reason : { unified: reason, raw: undefined };
  return pauses.includes(String(raw)) ? 'paused' : (reasons[String(unified)] ?? 'stop');
}

/** The provider's own object where its dialect is known: AI SDK adds up what a compaction on the way consumed. */
export function usageOf({ dialect, usage }: { readonly dialect: Dialect; readonly usage: unknown }): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const own = readUsage({ dialect, value: usage.raw });
  if (own) return own;
  const { inputTokens: input, outputTokens: output } = usage;
  const read = isObject(input) ? tokens(input.cacheRead) : tokens(usage.cachedInputTokens);
  const write = isObject(input) ? tokens(input.cacheWrite) : 0;
  const whole = isObject(input) ? tokens(input.total) : tokens(input);
  const reasoning = isObject(output) ? tokens(output.reasoning) : tokens(usage.reasoningTokens);
  const said = isObject(output) ? tokens(output.total) : tokens(output);
  if (whole + said === 0) return undefined;
  const rest = Math.max(0, whole - read - write);
  return { input: rest, output: said, cacheRead: read, cacheWrite: write, ...(reasoning > 0 && { reasoning }) };
}

function tokens(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
