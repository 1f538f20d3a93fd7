import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonObject } from '../../json.ts';
import {
  askForCompaction,
  type CompactingInfo,
  type ModelOptions,
  type ModelRequest,
  withReadableCompaction,
} from '../../models/index.ts';
import { promptOf, type Way } from './prompt.ts';
import { cacheMember, named } from './proof.ts';

/** A request in AI SDK's words. */
export function callOf({
  request,
  info,
  providerOptions,
  ...way
}: Way & {
  readonly request: ModelRequest;
  readonly info: CompactingInfo;
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
}): LanguageModelV4CallOptions {
  const { head, tools, options, signal } = request;
  const items = withReadableCompaction({ messages: request.items, dialect: way.dialect, info });
  const { maxOutputTokens, temperature, stop, toolChoice: choice, thinking, purpose } = options;
  const { effort } = thinking === 'off' ? { effort: 'none' } : effortOf(options);
  const call = {
    prompt: promptOf({ head, items, ...way }),
    tools: tools.map(({ cache, ...tool }) => ({
      ...{ type: 'function', ...tool, ...named({ ...way, members: cacheMember({ ...(cache && { cache }) }) }) },
    })),
    toolChoice: typeof choice === 'object' ? { type: 'tool', toolName: choice.name } : choice && { type: choice },
    ...{ maxOutputTokens, abortSignal: signal, stopSequences: stop && [...stop] },
    ...(!info.quirks.includes('noTemperature') && { temperature }),
    ...(effort && { reasoning: effort }),
    headers: {
      ...askForCompaction({ dialect: way.dialect, info, request }).headers,
      ...(purpose && purpose !== 'conversation' && { 'x-interaction-type': purpose }),
    },
    providerOptions: merged([defaultsOf({ options, info, ...way }), providerOptions]),
  };
  const { tools: offered, toolChoice, ...rest } = defined(call);
  return (tools.length > 0 ? { ...rest, tools: offered, toolChoice } : rest) as LanguageModelV4CallOptions;
}

/** Thoughts that no longer stand where they were made are left out, not refused. */
const dropped = { type: 'adaptive', blockBinding: { prefixMismatchBehavior: 'drop_block' } };

/** AI SDK wants a number; this one is Anthropic's default. */
const usualThreshold = 150_000;

/** The log is ours: OpenAI is not asked to keep another one, for which AI SDK has reasoning sealed. */
function defaultsOf({
  options,
  info,
  dialect,
}: Way & { readonly options: ModelOptions; readonly info: CompactingInfo }): Record<string, JsonObject> {
  const { thinking, cacheKey, providerCompaction: compaction } = options;
  const budget = typeof thinking === 'object' && 'budgetTokens' in thinking ? thinking.budgetTokens : undefined;
  if (dialect === 'anthropic') {
    const managed = compaction && askForCompaction({ dialect, info, request: { items: [], options } }).body;
    return {
      anthropic: {
        ...(options.rebindsThinking &&
          info.quirks.includes('bindsThinking') && { thinking: dropped, ...effortOf(options) }),
        ...(budget !== undefined && { thinking: { type: 'enabled', budgetTokens: budget } }),
        ...(managed && { contextManagement: managed.context_management }),
      },
    };
  }
  if (dialect === 'gemini' && budget !== undefined) return { google: { thinkingConfig: { thinkingBudget: budget } } };
  if (dialect !== 'openai-responses') return {};
  const threshold = compaction?.triggerTokens ?? usualThreshold;
  const own = {
    ...{ store: false, ...(cacheKey && { promptCacheKey: cacheKey }) },
    ...(compaction && { contextManagement: [{ type: 'compaction', compactThreshold: threshold }] }),
  };
  return { openai: own, azure: own };
}

/** Who names a kind of thinking has to repeat how much of it. */
function effortOf({ thinking }: ModelOptions): { readonly effort?: string } {
  return typeof thinking === 'object' && 'effort' in thinking ? thinking : {};
}

function merged(all: readonly Readonly<Record<string, JsonObject>>[]): Record<string, JsonObject> {
  const result: Record<string, JsonObject> = {};
  for (const options of all)
    for (const [name, members] of Object.entries(options)) result[name] = { ...result[name], ...members };
  return result;
}

function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T;
}
