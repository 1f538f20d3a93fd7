import type { Conversation } from '../../../message/index.ts';
import type { Model } from '../../../models/index.ts';
import { countingRules, createMessageCounter, estimateTokens, total } from '../../../tokens/index.ts';

/** Estimates are made without a vocabulary: they are quick, so that nobody's event loop waits, and a little generous. */
const generous = 1.05;

/**
 * About how many tokens a text has for a model, rather too many.
 *
 * @example
 * tokensFor({ text, factor: 1.3 });
 */
export function tokensFor({ text, factor }: { readonly text: string; readonly factor: number }): number {
  return Math.ceil(estimateTokens(text) * factor * generous);
}

/** The same of a whole request. */
export function sizeOf({
  conversation,
  model,
}: {
  readonly conversation: Conversation;
  readonly model: Model;
}): number {
  const counter = createMessageCounter({ count: estimateTokens, rules: countingRules[model.dialect] });
  return Math.ceil(total(counter.request(conversation)) * (model.info.tokenizer.factor ?? 1));
}
