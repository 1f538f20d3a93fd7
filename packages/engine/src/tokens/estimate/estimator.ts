import {
  type Calibration,
  type CalibrationState,
  createCalibration,
  type Estimate,
  type Prior,
} from './calibration.ts';
import { featuresOf } from './features.ts';

/**
 * Tokens for each feature of a text: fitted by least squares to o200k_base over code, Markdown, JSON, logs, CJK, base64
 * and other scripts, then rounded, and raised by hand where the fit was low (noise, emoji). The factor between models is
 * what calibration finds.
 */
const weights = [0.78, 0.18, 1.37, 0.73, 0.12, 1.8, 2, 0.75, 0.55, 1.5, 0.68];

/**
 * The tokens of a text by what it is made of, without a vocabulary and for no model in particular.
 *
 * @example
 * estimateTokens('const answer = 42;'); // 4
 */
export function estimateTokens(text: string): number {
  const features = featuresOf(text);
  let tokens = 0;
  for (let i = 0; i < features.length; i++) tokens += (features[i] as number) * (weights[i] as number);
  return text === '' ? 0 : Math.max(1, Math.round(tokens));
}

/** Counts for a model whose vocabulary is not public. */
export interface Estimator {
  readonly model: string;
  /** The likely number of tokens of a text. */
  count(text: string): number;
  estimate(text: string): Estimate;
  readonly calibration: Calibration;
}

/**
 * Estimates for one model: by what the text is made of, and by what its provider has reported so far.
 *
 * @example
 * const estimator = createEstimator({ model: 'claude-sonnet-4-5' });
 * const { tokens, bound } = estimator.estimate('How large is this?');
 * estimator.calibration.learn({ raw: { tokens: 900, messages: 3 }, actual: 1180 }); // from reported usage
 */
export function createEstimator({
  model,
  state,
  prior,
  count = estimateTokens,
}: {
  readonly model: string;
  readonly state?: CalibrationState;
  /** What is known of the model beforehand. */
  readonly prior?: Prior;
  /** A better guess to calibrate, e.g. `count` of an o200k_base tokenizer. */
  readonly count?: (text: string) => number;
}): Estimator {
  const calibration = createCalibration({ ...(state && { state }), ...(prior && { prior }) });
  const estimate = (text: string) => calibration.predict({ tokens: count(text), messages: 0 });
  return { model, count: (text) => estimate(text).tokens, estimate, calibration };
}
