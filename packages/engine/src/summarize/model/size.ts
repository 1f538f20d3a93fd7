import { charsOf } from '../../analysis/index.ts';
import type { Conversation, Message } from '../../message/index.ts';
import type { Model, TokenizerSpec } from '../../models/index.ts';
import { countingRules, createMessageCounter, estimateTokens, total } from '../../tokens/index.ts';
import { createYielder } from './yield-to-event-loop.ts';

/** Safety factor: estimates are made without a vocabulary. */
const safetyFactor = 1.05;

/** Texts hardly ever have more characters per token. */
const charsPerToken = 12;

/** The factor that makes an estimate an upper bound of a model's count. */
export function upperFactor({ factor = 1, margin = 0 }: Pick<TokenizerSpec, 'factor' | 'margin'>): number {
  return factor * (1 + margin);
}

/**
 * An estimate of the tokens of a text for a model, on the high side.
 *
 * @example
 * tokensFor({ text, factor: 1.3 });
 */
export function tokensFor({ text, factor }: { readonly text: string; readonly factor: number }): number {
  return Math.ceil(estimateTokens(text) * factor * safetyFactor);
}

/** The same for many texts, yielding to the event loop; stops counting above `most`. */
export async function tokensOfAll({
  texts,
  factor,
  most,
}: {
  readonly texts: readonly string[];
  readonly factor: number;
  readonly most: number;
}): Promise<number> {
  const yieldToEventLoop = createYielder();
  let tokens = 0;
  for (const text of texts) {
    tokens += tokensFor({ text, factor }) + 1;
    if (tokens > most) return tokens;
    await yieldToEventLoop(text.length);
  }
  return tokens;
}

/** The same for a whole request. */
export async function sizeOf({
  conversation: { head, messages, tools },
  model,
  most,
}: {
  readonly conversation: Conversation;
  readonly model: Model;
  readonly most: number;
}): Promise<number> {
  const factor = upperFactor(model.info.tokenizer);
  const counter = createMessageCounter({ count: estimateTokens, rules: countingRules[model.dialect] });
  const yieldToEventLoop = createYielder();
  let tokens = counter.tools(tools);
  for (const message of [...head, ...messages]) {
    tokens += total(counter.message(message));
    if (tokens * factor > most) break;
    await yieldToEventLoop(charsOf(message));
  }
  return Math.ceil(tokens * factor);
}

/** A cheap check by characters, before a request is built. */
export function isFarTooLarge({
  messages,
  most,
}: {
  readonly messages: readonly Message[];
  readonly most: number;
}): boolean {
  let chars = 0;
  return messages.some((message) => {
    chars += charsOf(message);
    return chars > most * charsPerToken;
  });
}
