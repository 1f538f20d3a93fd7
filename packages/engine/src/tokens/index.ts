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
export { type Encoding, encodings } from './encodings.ts';
export { createTokenizer, type Tokenizer } from './tokenizer.ts';
