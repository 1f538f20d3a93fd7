import type { Conversation, Dialect } from 'longhaul/message';
import type { ModelInfo } from 'longhaul/models';
import {
  countingRules,
  createCalibration,
  createLedger,
  createMessageCounter,
  createTokenizer,
  type Snapshot,
} from 'longhaul/tokens';

/** Measures conversations for one provider and window. */
export interface Scale {
  readonly window: number;
  readonly weigh: (conversation: Conversation) => Snapshot;
}

/**
 * The one ledger, set up for a view: exact where the vocabulary is public, with the model's factor and a bound where it
 * is not.
 *
 * @example
 * const scale = await createScale({ provider: 'anthropic', model, window: 200_000 });
 * scale.weigh(conversation).bound;
 */
export async function createScale({
  provider,
  model,
  window,
}: {
  readonly provider: Dialect;
  readonly model: ModelInfo;
  readonly window: number;
}): Promise<Scale> {
  const { encoding, factor } = model.tokenizer;
  const { count } = await createTokenizer(encoding === 'cl100k_base' ? 'cl100k_base' : 'o200k_base');
  const counter = createMessageCounter({ count, rules: countingRules[provider] });
  return {
    window,
    weigh({ head, messages, tools }) {
      const calibration = createCalibration(factor === undefined ? {} : { prior: { perToken: factor, perMessage: 0 } });
      const ledger = createLedger({ window, counter, calibration });
      ledger.setHead({ messages: head, tools });
      for (const message of messages) ledger.append({ message });
      return ledger.snapshot();
    },
  };
}
