import type { SummaryTag } from '../../session/index.ts';
import type { SummaryMode } from '../../summarize/index.ts';

/**
 * When and how a conversation is compacted, as data: a preset can be read, printed and changed. Shares are parts of
 * `measure`, in (0, 1].
 *
 * @example
 * const engine = await createEngine({ store, policy: { ...presets.longhaul, late: 0.85 } });
 */
export interface Policy {
  readonly name: string;
  /** Whether compactions are automatic. A request that does not fit is made to fit in any case. */
  readonly automatic: boolean;
  /** Where the user wants it to begin: a share of the window in (0, 1], or tokens from 100 on (features D7). */
  readonly threshold?: number;
  /** What shares are parts of: the window (or the threshold), or what of it may be sent. */
  readonly measure: 'window' | 'limit';
  /** What is left free of the window for the answer: the smaller of the two. */
  readonly reserve: { readonly tokens: number; readonly share: number };
  /** With tools on offer only so much of what they leave is used (Copilot Chat: 0.9). */
  readonly afterTools: number;
  /** Whether with tools no request may be larger than that, or the threshold, either. */
  readonly fitsThreshold: boolean;
  /**
   * What the upper bound of a request has to fit into: what the reserve leaves of the window, or the window. Triggers go
   * by the likely size in any case; a bound that has to leave the reserve free as well would fire them early.
   */
  readonly fits: 'reserve' | 'window';

  /** From here on a background summary starts, at a random point of the range; absent: never. */
  readonly start?: { readonly warm: ShareRange; readonly cold: ShareRange };
  /** What makes the cache warm: a finished tool round in this turn, or that the provider still has the prefix. */
  readonly warm: 'round' | 'lifetime';
  /** From here on (strictly above) a compaction is made before the next request; absent: never. */
  readonly compactAt?: number;
  /** From here on a request waits for the summary that is being made, if it may wait. */
  readonly block?: number;
  /** How many milliseconds a request may wait for a model that summarizes. None: it never does. */
  readonly mayWait: number;
  /** After so many milliseconds a summary is given up and made without a model. */
  readonly longest: number;

  /** A summary is not begun with fewer messages, or fewer answers of the model, in what is sent. */
  readonly leastMessages: number;
  readonly leastRounds: number;
  /** A summary that is ready is dropped where the share has fallen below this. */
  readonly applyMinimum: number;
  /**
   * When a summary that is ready goes in: with the next request, or between turns or tasks, when the cache is cold anyway,
   * and in any case from `late` on.
   */
  readonly install: 'ready' | 'boundary';
  /** Below this it waits even then: compactions that come too early come too often. Never before a threshold that is set. */
  readonly early: number;
  readonly late: number;
  /** While the cache is warm it goes in early only if that pays off over so many requests. */
  readonly horizon: number;

  /**
   * What stays verbatim at the end, where it fits: at least so many tokens, or the newest rounds as a whole. `flexible`
   * tokens are a maximum: less stays where selected lines are worth more, and in a small window.
   */
  readonly keep: { readonly tokens: number; readonly flexible?: boolean } | { readonly rounds: number };
  /** A summary has at most so many tokens; absent: half of what head and pending input leave of the threshold. */
  readonly summaryTokens?: number;
  /** The tag around the summary in the message that carries it. */
  readonly summaryTag: SummaryTag;
  /** Whether the beginning of a turn that a cut goes through gets a summary of its own, under a heading (features D9). */
  readonly splitsTurns: boolean;
  /** Whether old tool outputs are elided before a compaction is made. */
  readonly prunes: boolean;
  /** The newest tokens of tool output that stay, and what must go; absent: shares of the window, at most 40k and 20k. */
  readonly pruning?: { readonly protect: number; readonly minimum: number };
  /**
   * Results of tools above so many bytes are kept aside when they come: a pointer with schema, preview and handle is sent
   * in their place. 8,192 is what editors take; without it only what would fill half the window is cut.
   */
  readonly offloads?: number;
  /** How a model is asked: `auto` takes the ladder from the top. */
  readonly mode: SummaryMode;
  /** The same while a request waits for it. */
  readonly foreground: SummaryMode;
  /** After a failure the next job waits so long, twice as long each time. Milliseconds. */
  readonly backOff: { readonly first: number; readonly most: number };

  /** Whether the agent continues by itself after a compaction between rounds. After an overflow it always does. */
  readonly autoContinue: boolean;
  /** Whether moving to another branch adds a summary of the one that is left. */
  readonly branchSummaries: boolean;
}

/** From the first to below the second; two equal numbers are a point. */
type ShareRange = readonly [from: number, to: number];
