import type { Dialect } from '../../message/index.ts';
import type { Framing } from '../../tokens/index.ts';
import type { QuirkName } from './quirks.ts';

/** What is known of one model. Only what a source says is there; absent means not known. */
export interface ModelEntry {
  /**
   * Names this entry is for. A name also covers its dated and tagged variants (`gpt-5` covers `gpt-5-2025-08-07` and
   * `gpt-5-latest`, not `gpt-5-mini`); a `*` at the end covers everything that starts so.
   */
  readonly match: readonly string[];
  /** The entry holds for this provider only. */
  readonly provider?: string;
  readonly dialects?: readonly Dialect[];
  /** What prompt and answer share, in tokens; where the provider counts them apart, the prompt's own limit. */
  readonly window?: number;
  /** The prompt's own limit, where it is smaller than the window or counted apart. */
  readonly inputLimit?: number;
  readonly maxOutput?: number;
  readonly prices?: Prices;
  readonly tokenizer?: TokenizerSpec;
  readonly capabilities?: Partial<Capabilities>;
  /** Beyond those of the provider. */
  readonly quirks?: readonly QuirkName[];
  /** Where it differs from the provider's rules. */
  readonly cache?: Partial<CacheRules>;
  readonly note?: string;
  readonly source?: string;
  /** The day on which the source said so, `2026-11-15`. */
  readonly asOf?: string;
}

/** Dollars per million tokens. */
export interface Prices extends Rates {
  /** Prices of the whole request when its prompt is larger than `above`; the highest that applies counts. */
  readonly tiers?: readonly (Rates & { readonly above: number })[];
}

export interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  /** Writing to the cache for the shorter lifetime (Anthropic's 5 minutes). */
  readonly cacheWrite?: number;
  /** Writing to the cache for the longer one (Anthropic's hour). */
  readonly cacheWriteLong?: number;
}

export interface TokenizerSpec {
  readonly encoding: 'o200k_base' | 'cl100k_base' | 'unknown';
  /** Likely tokens of the provider for one of the encoding, or of o200k_base where that is unknown. */
  readonly factor?: number;
  /** By which share the upper bound exceeds the likely count before any usage was reported; 0.5 where absent. */
  readonly margin?: number;
  /** What the provider adds to the text of messages, calls and tools, where it was measured. */
  readonly framing?: Framing;
  /** The row of `data/token-families.json` that it is from. */
  readonly family?: string;
  readonly note?: string;
}

export interface Capabilities {
  readonly images: boolean;
  readonly documents: boolean;
  /** `manual`: the caller gives a token budget. `adaptive`: the caller gives an effort and the model decides. */
  readonly thinking: 'none' | 'manual' | 'adaptive';
  /** The efforts that are accepted, from the least on; `none` is no thinking at all. Empty where that is not known. */
  readonly efforts: readonly string[];
  /** The conversation may end with the beginning of the answer. */
  readonly prefill: boolean;
  /** System messages may stand between turns. */
  readonly midConversationSystem: boolean;
  /** Calls carry a signature that must be sent back. */
  readonly signedCalls: boolean;
}

/** How a provider keeps prefixes. */
export interface CacheRules {
  /** `explicit`: only at breakpoints. `automatic`: without breakpoints. `both`: automatic, and at breakpoints. */
  readonly how: 'explicit' | 'automatic' | 'both' | 'none';
  readonly maxBreakpoints?: number;
  /** A shorter prefix is not kept, without an error. */
  readonly minTokens?: number;
  /** How far back from a breakpoint an earlier entry is looked for. */
  readonly lookback?: { readonly blocks?: number; readonly breakpoints?: number };
  /** Lifetimes, the default first. `seconds` counts from the last use; `maxSeconds` is the end of it all the same. */
  readonly lifetimes?: readonly {
    readonly name: string;
    readonly seconds: number;
    readonly maxSeconds?: number;
    /** Price of writing, times the input price. */
    readonly writeFactor?: number;
  }[];
  /** Price of reading, times the input price. */
  readonly readFactor?: number;
  readonly note?: string;
  readonly source?: string;
  readonly asOf?: string;
}

/** What holds for all models of a provider, and its models. */
export interface ProviderEntry {
  readonly provider: string;
  /** Other names for it. */
  readonly aliases?: readonly string[];
  /** A host of other people's models: its entries count only when it is named. */
  readonly onlyWhenNamed?: boolean;
  readonly dialects: readonly Dialect[];
  readonly tokenizer?: TokenizerSpec;
  readonly capabilities?: Partial<Capabilities>;
  readonly quirks?: readonly QuirkName[];
  readonly cache?: CacheRules;
  /** What to be careful about with any of its models. */
  readonly note?: string;
  readonly models: readonly ModelEntry[];
}

/** One file of model data. */
export interface ModelData {
  readonly providers: readonly ProviderEntry[];
}
