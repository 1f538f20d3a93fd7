/** A number of tokens that is likely, and one that is hardly ever exceeded. */
export interface Estimate {
  readonly tokens: number;
  readonly bound: number;
}

/** A count made by ourselves: the tokens of the text, and how many messages it came in. */
export interface Raw {
  readonly tokens: number;
  readonly messages: number;
}

/** Learns from the usage that a provider reports how its model counts. */
export interface Calibration {
  predict(raw: Raw): Estimate;
  /** `actual` is what the provider said the same content came to. */
  learn(observation: { readonly raw: Raw; readonly actual: number }): void;
  /** Serializable; `createCalibration({ state })` continues from it. */
  state(): CalibrationState;
}

export interface CalibrationState {
  readonly observations: number;
  /** Sums of the weighted regression of actual counts on ours, without what messages add: actual = factor * tokens. */
  readonly sums: { readonly tt: number; readonly ta: number };
  /** The newest errors in units of the spread, as they were before they were learned from. */
  readonly errors: readonly number[];
}

/** What is assumed before any usage was reported. */
export interface Prior {
  /** Provider tokens per token of our count. */
  readonly perToken: number;
  /** What each message adds to that. */
  readonly perMessage: number;
  /** By which share the upper bound exceeds the likely size; 0.5 by default, where nothing is known of the vocabulary. */
  readonly margin?: number;
}

/** No measurement and no vocabulary: most tokenizers make more of a text than o200k_base does. */
const defaultPrior = { perToken: 1.15, perMessage: 4, margin: 0.5 } as const satisfies Prior;

/** How much older observations count after each newer one: the last hundred decide. */
const fading = 0.99;

const remembered = 256;

/** An error of so many spreads is not an error of counting. */
const strange = 12;

/** Ratios differ between kinds of text and even out over this many tokens. */
const mixed = 2_000;

/** The bound is at least so many spreads above the likely size, unless the prior is much closer; of what is large at most so many. */
const leastSpreads = 1;
const mostOfLarge = 2.5;

/**
 * Starts from a prior and adjusts to what the model's provider reports. The bound is the prior's margin until usage is
 * reported, then what the errors seen so far require.
 *
 * @example
 * const calibration = createCalibration({ prior: { perToken: 1.15, perMessage: 0, margin: 0.15 } });
 * calibration.predict({ tokens: 1000, messages: 2 }); // { tokens: 1150, bound: 1387 }
 * calibration.learn({ raw: { tokens: 10_000, messages: 20 }, actual: 12_100 });
 */
export function createCalibration({
  state,
  prior = defaultPrior,
}: {
  readonly state?: CalibrationState;
  readonly prior?: Prior;
} = {}): Calibration {
  const { perToken, perMessage, margin = defaultPrior.margin } = prior;
  // The surer the prior, the more observations it takes to change it.
  const pull = (0.6 / Math.max(margin, 0.01)) ** 2;
  const fixed = { prior: Math.min(64, 5_300 * margin ** 2), spread: Math.min(120, 1_100 * margin) };
  const shares = { small: Math.min(0.25, 2 * margin), large: Math.min(0.04, margin) };
  let observations = state?.observations ?? 0;
  let { tt, ta } = state?.sums ?? { tt: 0, ta: 0 };
  let estranged = false;
  const errors = [...(state?.errors ?? [])];
  let worst = worstOf(errors);
  return { predict, learn, state: () => ({ observations, sums: { tt, ta }, errors: [...errors] }) };

  function predict(raw: Raw): Estimate {
    const likely = likelyOf(raw);
    return { tokens: Math.round(likely), bound: Math.ceil(likely + slack(likely)) };
  }

  function learn({ raw, actual }: { readonly raw: Raw; readonly actual: number }): void {
    const likely = likelyOf(raw);
    const error = (actual - likely) / spread(likely);
    // A single jump is content that was never counted, such as a changed head; a second one in a row is learned from.
    if (Math.abs(error) > strange && observations > 0 && !estranged) {
      estranged = true;
      return;
    }
    estranged = false;
    // The first error is the prior's: it says nothing about predictions made after it was corrected.
    if (observations > 0) errors.push(Math.max(-strange, Math.min(strange, error)));
    if (errors.length > remembered) errors.shift();
    worst = worstOf(errors);
    // What is far off hardly counts: it is rarely an error of counting, and would outweigh many that are.
    const weight = 1 / (spread(Math.max(actual, likely)) ** 2 * (1 + (error / 2) ** 2));
    tt = tt * fading + weight * raw.tokens * raw.tokens;
    ta = ta * fading + weight * raw.tokens * Math.max(0, actual - perMessage * raw.messages);
    observations++;
  }

  /** By least squares, drawn to the prior as if that had been observed a few times. */
  function likelyOf({ tokens, messages }: Raw): number {
    return ((ta + pull * perToken) / (tt + pull)) * tokens + perMessage * messages;
  }

  /** Absolute when a count is small, relative when it is large, and smaller where many kinds of text are mixed. */
  function spread(tokens: number, times = { small: 1, large: 1 }): number {
    const small = fixed.spread + shares.small * Math.min(tokens, mixed);
    return times.small * small + times.large * shares.large * Math.max(0, tokens - mixed);
  }

  /** The margin of the prior gives way to what the errors seen require, as observations outweigh the prior. */
  function slack(likely: number): number {
    const unsure = pull / (pull + tt);
    const assumed = margin * likely + fixed.prior;
    const few = 1 + 2 / (1 + observations);
    // Errors are seen on what is added to a prompt; they even out over a whole one.
    const needed = spread(likely, { small: few * worst, large: few * Math.min(worst, mostOfLarge) });
    const least = Math.min(2 * assumed, few * leastSpreads * spread(likely));
    return unsure * assumed + (1 - unsure) * Math.max(needed, least);
  }
}

/** Half more than the largest error, from a few on without the rarest. */
function worstOf(errors: readonly number[]): number {
  const sorted = errors.toSorted((a, b) => b - a);
  const rare = errors.length < 8 ? 0 : Math.max(1, Math.floor(sorted.length / 128));
  return 1.5 * Math.max(0, sorted[rare] ?? 0);
}
