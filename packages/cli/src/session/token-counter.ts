import { countingRules, createMessageCounter, createTokenizer, total } from 'longhaul/tokens';
import type { CountTokens } from './totals.ts';

/**
 * A counter for messages of any model: exact for OpenAI's newer ones, close for the others.
 *
 * @example
 * const countTokens = await loadTokenCounter();
 */
export async function loadTokenCounter(): Promise<CountTokens> {
  const { count } = await createTokenizer('o200k_base');
  const counter = createMessageCounter({ count, rules: countingRules['openai-chat'] });
  return (message) => total(counter.message(message));
}
