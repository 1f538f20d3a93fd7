import { isArray, isObject, type Json, type JsonObject } from '../json.ts';
import type { Dialect } from '../message/index.ts';

type SeparateUsage = Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>;

/** What one call consumed, in tokens. The four counts do not overlap. */
export interface Usage {
  /** Prompt tokens that came neither from a cache nor went into one. */
  readonly input: number;
  /** Everything the model wrote, its reasoning included. */
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The part of `cacheWrite` that is kept for the longer of the provider's lifetimes, at its higher price. */
  readonly cacheWriteLong?: number;
  /** The part of `output` that was reasoning. */
  readonly reasoning?: number;
  /** Tokens of the provider's own compactions, counted apart from the answer: paid for, but not part of any prompt. */
  readonly providerCompaction?: SeparateUsage;
}

/**
 * The size of the prompt: a warm cache must not read as an empty window.
 *
 * @example
 * promptTokens({ input: 12, output: 300, cacheRead: 90_000, cacheWrite: 500 }); // 90512
 */
export function promptTokens(usage: Usage): number {
  return usage.input + usage.cacheRead + usage.cacheWrite;
}

/**
 * Reads a provider's usage object. `undefined` where there is none or every count is zero: some servers send zeros, and
 * to believe them would reset the accounting (vercel/ai#17326).
 *
 * @example
 * readUsage({ dialect: 'gemini', value: { promptTokenCount: 100, cachedContentTokenCount: 80, candidatesTokenCount: 7 } });
 * // { input: 20, output: 7, cacheRead: 80, cacheWrite: 0 }
 */
export function readUsage({
  dialect,
  value,
}: {
  readonly dialect: Dialect;
  readonly value: unknown;
}): Usage | undefined {
  if (!isObject(value)) return undefined;
  const usage = readers[dialect](value);
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite === 0 ? undefined : usage;
}

const readers: Record<Dialect, (value: JsonObject) => Usage> = {
  // https://platform.claude.com/docs/en/build-with-claude/prompt-caching: `input_tokens` leaves out both cache counts.
  anthropic: (value) => ({
    ...readCounts(value),
    ...positive('cacheWriteLong', count(child(value, 'cache_creation').ephemeral_1h_input_tokens)),
    ...positive('reasoning', count(child(value, 'output_tokens_details').thinking_tokens)),
    ...compactionsIn(value),
  }),
  'openai-chat': readChat,
  'openai-responses': (value) => {
    const details = child(value, 'input_tokens_details');
    const writes = child(details, 'cache_write_tokens_details');
    return {
      ...split(count(value.input_tokens), count(details.cached_tokens), count(details.cache_write_tokens)),
      output: count(value.output_tokens),
      ...positive('cacheWriteLong', count(writes.ttl_12h_tokens)),
      ...positive('reasoning', count(child(value, 'output_tokens_details').reasoning_tokens)),
    };
  },
  // `candidatesTokenCount` leaves out the thoughts, and tool results that Google ran itself are counted apart.
  gemini: (value) => {
    const prompt = count(value.promptTokenCount) + count(value.toolUsePromptTokenCount);
    const thoughts = count(value.thoughtsTokenCount);
    return {
      ...split(prompt, count(value.cachedContentTokenCount), 0),
      output: count(value.candidatesTokenCount) + thoughts,
      ...positive('reasoning', thoughts),
    };
  },
};

function readCounts(value: JsonObject): SeparateUsage {
  return {
    input: count(value.input_tokens),
    output: count(value.output_tokens),
    cacheRead: count(value.cache_read_input_tokens),
    cacheWrite: count(value.cache_creation_input_tokens),
  };
}

/** "A `compaction` entry's tokens are not included in the top-level `usage` fields." */
function compactionsIn({ iterations }: JsonObject): Partial<Usage> {
  const entries = (isArray(iterations) ? iterations : []).filter(isObject).filter(({ type }) => type === 'compaction');
  if (entries.length === 0) return {};
  const sum = (key: keyof SeparateUsage) => entries.reduce((total, entry) => total + readCounts(entry)[key], 0);
  const [input, output] = [sum('input'), sum('output')];
  return { providerCompaction: { input, output, cacheRead: sum('cacheRead'), cacheWrite: sum('cacheWrite') } };
}

/** Servers of this dialect disagree on where cached tokens stand: DeepSeek and Kimi have names of their own. */
function readChat(value: JsonObject): Usage {
  const details = child(value, 'prompt_tokens_details');
  const cached = details.cached_tokens ?? value.prompt_cache_hit_tokens ?? value.cached_tokens;
  const prompt = count(value.prompt_tokens);
  const completion = count(value.completion_tokens);
  const reasoning = count(child(value, 'completion_tokens_details').reasoning_tokens);
  // xAI counts reasoning in addition to `completion_tokens`, OpenAI as part of it; the total says which.
  const isAdded = reasoning > 0 && count(value.total_tokens) === prompt + completion + reasoning;
  return {
    ...split(prompt, count(cached), count(details.cache_write_tokens)),
    output: isAdded ? completion + reasoning : completion,
    ...positive('reasoning', reasoning),
  };
}

/** The prompt count of OpenAI and Google includes what came from the cache and what went into it. */
function split(
  prompt: number,
  cacheRead: number,
  cacheWrite: number,
): Pick<Usage, 'input' | 'cacheRead' | 'cacheWrite'> {
  return { input: Math.max(0, prompt - cacheRead - cacheWrite), cacheRead, cacheWrite };
}

function count(value: Json | undefined): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

function child(value: JsonObject, key: string): JsonObject {
  const member = value[key];
  return isObject(member) ? member : {};
}

function positive<K extends string>(key: K, value: number): { readonly [P in K]?: number } {
  return value > 0 ? ({ [key]: value } as { readonly [P in K]?: number }) : {};
}
