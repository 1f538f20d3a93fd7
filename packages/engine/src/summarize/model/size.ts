import { charsOf } from '../../analysis/index.ts';
import type { Conversation, Message } from '../../message/index.ts';
import type { Model, Tokenizer } from '../../models/index.ts';
import { countingRules, createMessageCounter, estimateTokens, total } from '../../tokens/index.ts';
import { createYielder } from './yield-to-event-loop.ts';

/** Estimates are made without a vocabulary: they are quick, and a little generous. */
const generous = 1.05;

/** Texts are hardly ever cheaper than this, whatever they are made of. */
const mostChars = 12;

/** What an estimate is multiplied by to stay above the count of a model. */
export function upperFactor({ factor = 1, margin = 0 }: Pick<Tokenizer, 'factor' | 'margin'>): number {
  return factor * (1 + margin);
}

/**
 * About how many tokens a text has for a model, rather too many.
 *
 * @example
 * tokensFor({ text, factor: 1.3 });
 */
export function tokensFor({ text, factor }: { readonly text: string; readonly factor: number }): number {
  return Math.ceil(estimateTokens(text) * factor * generous);
}

/** The same of many texts, in turns with others; more than `most` is not counted to the end. */
export async function tokensOfAll({
  texts,
  factor,
  most,
}: {
  readonly texts: readonly string[];
  readonly factor: number;
  readonly most: number;
}): Promise<number> {
  const breathe = createYielder();
  let tokens = 0;
  for (const text of texts) {
    tokens += tokensFor({ text, factor }) + 1;
    if (tokens > most) return tokens;
    await breathe(text.length);
  }
  return tokens;
}

/** The same of a whole request. */
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
  const breathe = createYielder();
  let tokens = counter.tools(tools);
  for (const message of [...head, ...messages]) {
    tokens += total(counter.message(message));
    if (tokens * factor > most) break;
    await breathe(charsOf(message));
  }
  return Math.ceil(tokens * factor);
}

/** Whether messages are too large without a doubt, at a glance: then nothing is built of them. */
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
    return chars > most * mostChars;
  });
}
