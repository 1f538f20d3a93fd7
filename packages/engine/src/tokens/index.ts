/**
 * Tokens: exact counts where the vocabulary is public, estimates with a bound where it is not, and one ledger of both.
 *
 * @module
 */
export {
  type BackgroundOptions,
  type BackgroundStats,
  type BackgroundTokenizer,
  createBackgroundTokenizer,
} from './background/background.ts';
export type { Size } from './content/image-size.ts';
export { createMessageCounter, type MessageCounter } from './content/message-counter.ts';
export { type CountingRules, countingRules, type Framing, type ImageRule } from './content/rules.ts';
export { type Share, shares, type TokenShares, total } from './content/shares.ts';
export { type Encoding, encodings } from './encodings.ts';
export {
  type Calibration,
  type CalibrationState,
  createCalibration,
  type Estimate,
  type Prior,
  type Raw,
} from './estimate/calibration.ts';
export { type Estimator, estimateTokens } from './estimate/estimator.ts';

export { createLedger, type Ledger, type LedgerOptions } from './ledger/ledger.ts';
export type { Snapshot } from './ledger/snapshot.ts';
export type { ReportedUsage } from './ledger/usage.ts';
export { createTokenizer, type Tokenizer } from './tokenizer.ts';
