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
  /** For keeping: `createCalibration({ state })` goes on where this one stands. */
  state(): CalibrationState;
}

export interface CalibrationState {
  readonly observations: number;
  /** Sums of the weighted regression of actual counts on ours: actual = perToken * tokens + perMessage * messages. */
  readonly sums: {
    readonly tt: number;
    readonly tm: number;
    readonly mm: number;
    readonly ta: number;
    readonly ma: number;
  };
  /** The newest errors in units of `spread`, as they were before they were learned from. */
  readonly errors: readonly number[];
}

/** What is assumed before anything is known: more than the public tokenizers make of it, as most others do. */
const usualPrior: Prior = { perToken: 1.15, perMessage: 4 };

/** How many tokens of the provider one of ours stands for, and what each message adds to that. */
export interface Prior {
  readonly perToken: number;
  readonly perMessage: number;
}

/** The prior counts as this many observations. */
const priorWeight = 4;

/** How much older observations count after each newer one: the last hundred decide. */
const fading = 0.99;

const remembered = 256;

/** Errors are absolute when a count is small and relative when it is large. */
function spread(tokens: number): number {
  return 12 + 0.08 * tokens;
}

/** An error of so many spreads is none of counting. */
const strange = 12;

/** With nothing learned the bound is about twice the estimate. */
const priorError = 10;

/**
 * Begins with a prior and comes to know the model by what its provider reports.
 *
 * @example
 * const calibration = createCalibration();
 * calibration.learn({ raw: { tokens: 1000, messages: 2 }, actual: 1300 });
 * calibration.predict({ tokens: 100, messages: 1 }); // { tokens: 132, bound: 343 }
 */
export function createCalibration({
  state,
  prior = usualPrior,
}: {
  readonly state?: CalibrationState;
  readonly prior?: Prior;
} = {}): Calibration {
  let observations = state?.observations ?? 0;
  let { tt, tm, mm, ta, ma } = state?.sums ?? { tt: 0, tm: 0, mm: 0, ta: 0, ma: 0 };
  let estranged = false;
  const errors = [...(state?.errors ?? [])];
  return { predict, learn, state: () => ({ observations, sums: { tt, tm, mm, ta, ma }, errors: [...errors] }) };

  function predict(raw: Raw): Estimate {
    const likely = likelyOf(raw);
    return { tokens: Math.round(likely), bound: Math.ceil(likely + margin() * spread(likely)) };
  }

  function learn({ raw, actual }: { readonly raw: Raw; readonly actual: number }): void {
    const likely = likelyOf(raw);
    const error = (actual - likely) / spread(likely);
    // Not a wrong count but something we never saw, such as a changed head; if it comes again, it is to be believed.
    if (Math.abs(error) > strange && observations > 8 && !estranged) {
      estranged = true;
      return;
    }
    estranged = false;
    // One wild report must not make every bound useless.
    errors.push(Math.max(-strange, Math.min(strange, error)));
    if (errors.length > remembered) errors.shift();
    const weight = 1 / spread(actual) ** 2;
    tt = tt * fading + weight * raw.tokens * raw.tokens;
    tm = tm * fading + weight * raw.tokens * raw.messages;
    mm = mm * fading + weight * raw.messages * raw.messages;
    ta = ta * fading + weight * raw.tokens * actual;
    ma = ma * fading + weight * raw.messages * actual;
    observations++;
  }

  /** Two unknowns by least squares, drawn to the prior as if that had been observed a few times. */
  function likelyOf({ tokens, messages }: Raw): number {
    const pull = { t: priorWeight, m: priorWeight / 20 };
    const [a, b, c] = [tt + pull.t, tm, mm + pull.m];
    const [x, y] = [ta + pull.t * prior.perToken, ma + pull.m * prior.perMessage];
    const determinant = a * c - b * b;
    const perMessage = (y * a - x * b) / determinant;
    // A message never takes tokens away: growth must grow with what is added.
    if (perMessage < 0) return (x / a) * tokens;
    return ((x * c - y * b) / determinant) * tokens + perMessage * messages;
  }

  /** A quarter more than the largest error seen, and more the fewer have been seen. */
  function margin(): number {
    const largest = errors.reduce((most, error) => Math.max(most, error), 0);
    const few = 1 / (1 + errors.length / 8);
    return (2 + 1.25 * largest) * (1 - few) + priorError * few;
  }
}
