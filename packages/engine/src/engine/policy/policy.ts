import type { SummaryTag } from '../../session/index.ts';
import type { SummaryMode } from '../../summarize/index.ts';

/**
 * When and how a conversation is compacted, as data: a preset can be read, printed and changed. Shares are parts of
 * `when.measure`, in (0, 1]; times are milliseconds. The defaults named below are those of the preset `longhaul`.
 *
 * @example
 * const engine = await createEngine({ store, policy: createPolicy({ when: { late: 0.85 } }) });
 */
export interface Policy {
  readonly name: string;
  /** When compactions start, wait and are installed. */
  readonly when: TriggerPolicy;
  /**
   * What stays verbatim at the end, where it fits: at least this many tokens, or the newest rounds as a whole. `flexible`
   * tokens are a maximum: less stays where selected lines are worth more, and in a small window. Default: at most 20,000
   * tokens, flexible.
   */
  readonly keep: { readonly tokens: number; readonly flexible?: boolean } | { readonly rounds: number };
  /** How summaries are made. */
  readonly summarize: SummaryPolicy;
  /** What happens to large and old tool outputs. */
  readonly prune: PrunePolicy;
  /** Behavior of another agent, for the presets that imitate one. A policy of your own does not need it. */
  readonly imitates?: PresetOverrides;
}

/** When compactions start, wait and are installed. */
export interface TriggerPolicy {
  /** Whether compactions are automatic. A request that does not fit is made to fit in any case. Default: true. */
  readonly automatic: boolean;
  /**
   * How much of the window is used before compaction: a share in (0, 1], or tokens from 100 on (features D7). Default: all
   * of it.
   */
  readonly threshold?: number;
  /** What shares are parts of: the window (or the threshold), or what of it may be sent. Default: `limit`. */
  readonly measure: 'window' | 'limit';
  /** What is left free of the window for the answer: the smaller of the two. Default: 16,384 tokens or 15 %. */
  readonly reserve: { readonly tokens: number; readonly share: number };

  /** From here on a background summary starts, at a random point of the range; absent: never. Default: 0.7. */
  readonly start?: { readonly warm: ShareRange; readonly cold: ShareRange };
  /** How long a request may wait for a summarizing model; 0: never. Default: 0. */
  readonly mayWait: number;
  /** With fewer messages in the context no summary is started. Default: 4. */
  readonly leastMessages: number;
  /** With fewer model answers in the context no summary is started. Default: 1. */
  readonly leastRounds: number;

  /** A finished summary is discarded if the share has fallen below this. Default: 0.5. */
  readonly applyMinimum: number;
  /**
   * When a finished summary is installed: with the next request, or between turns or tasks or when the cache is cold, and
   * in any case from `late` on. Default: `boundary`.
   */
  readonly install: 'ready' | 'boundary';
  /**
   * Below this share it is not installed even then, because early compactions are frequent ones. Never before a threshold
   * that is set. Default: 0.8.
   */
  readonly early: number;
  /** From this share on it is installed at any point of the work. Default: 1. */
  readonly late: number;
  /** With a warm cache it is installed early only if that pays off within this many requests. Default: 20. */
  readonly horizon: number;
  /**
   * Whether the agent continues by itself after a compaction between rounds. After an overflow it always does. Default:
   * true.
   */
  readonly autoContinue: boolean;
}

/** How summaries are made. */
export interface SummaryPolicy {
  /** The first way to ask a model; `auto` tries all of them in order. Default: `auto`. */
  readonly mode: SummaryMode;
  /** The largest summary. Default: half of what head and pending input leave of the threshold. */
  readonly maxTokens?: number;
  /** After this time a model summary is abandoned and an extractive one is made. Default: 300,000. */
  readonly timeout: number;
  /** The delay of the next summary after a failure, doubled each time up to `most`. Default: 30,000 to 600,000. */
  readonly backOff: { readonly first: number; readonly most: number };
  /** Whether moving to another branch adds a summary of the abandoned one. Default: true. */
  readonly branches: boolean;
}

/** What happens to large and old tool outputs. */
export interface PrunePolicy {
  /** Whether old tool outputs are elided before a compaction is made. Default: true. */
  readonly outputs: boolean;
  /**
   * The newest tokens of tool output to keep, and the minimum to free. Default: shares of the window, at most 40,000 and
   * 20,000.
   */
  readonly limits?: { readonly protect: number; readonly minimum: number };
  /**
   * Tool results of more bytes are stored apart when they arrive: a pointer with schema, preview and handle is sent
   * instead. Default: only results that would fill half the window are cut.
   */
  readonly offloadAbove?: number;
}

/** Behavior of another agent that no policy of our own needs. A missing member means the engine's own behavior. */
export interface PresetOverrides {
  /** With tools, the share that is used of what their definitions leave until a provider reported usage. Default: 0.9. */
  readonly afterTools?: number;
  /** Whether with tools no request may be larger than that, or than the threshold. Default: false. */
  readonly fitsThreshold?: boolean;
  /**
   * What the upper bound of a request has to fit into: what the reserve leaves of the window, or the window. Triggers use
   * the estimated size in any case; a bound that also leaves the reserve free would fire them early. Default: `reserve`.
   */
  readonly fits?: 'reserve' | 'window';
  /**
   * What makes the cache warm: a finished tool round in this turn, or that the provider still has the prefix. Default:
   * `lifetime`.
   */
  readonly warm?: 'round' | 'lifetime';
  /** Strictly above this share a compaction is made before the next request. Default: never. */
  readonly compactAt?: number;
  /** From this share on a request waits for the summary in progress, within `when.mayWait`. Default: never. */
  readonly block?: number;
  /** The tag around the summary in its message. Default: `summary`. */
  readonly summaryTag?: SummaryTag;
  /** Whether the start of a turn that is cut gets its own summary under a heading (features D9). Default: false. */
  readonly splitsTurns?: boolean;
  /** Replaces `summarize.mode`, unless that is `full`, while a request waits for the summary. Default: `auto`. */
  readonly foreground?: SummaryMode;
}

/** The behavior of a policy that imitates no other agent. `compactAt` and `block` have no default: they never apply. */
const ownBehavior = {
  afterTools: 0.9,
  fitsThreshold: false,
  fits: 'reserve',
  warm: 'lifetime',
  summaryTag: 'summary',
  splitsTurns: false,
  foreground: 'auto',
} as const satisfies PresetOverrides;

/**
 * What `imitates` says of a policy, with the defaults of what it leaves out.
 *
 * @example
 * overridesOf(presets.longhaul).summaryTag; // 'summary'
 */
export function overridesOf({
  imitates,
}: Pick<Policy, 'imitates'>): PresetOverrides & Required<Omit<PresetOverrides, 'compactAt' | 'block'>> {
  return { ...ownBehavior, ...imitates };
}

/** From the first to below the second; two equal numbers are a point. */
type ShareRange = readonly [from: number, to: number];
