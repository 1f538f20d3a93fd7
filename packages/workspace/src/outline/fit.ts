import { type OutlineDocument, type OutlineOptions, type OutlineResult, outline } from './outline.ts';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => number | Promise<number>;

const firstShare = 0.85;
const setAside = 300;
const shrink = 0.85;
const mostTries = 5;

/**
 * An outline within a number of tokens: documents that fit are whole; others begin at 85 % of the budget less 300 tokens, at
 * four characters a token, and shrink by 15 % until their real count fits, five times at most. What is
 * selected stays even where it alone is over the budget.
 *
 * @example
 * const { documents, tokens } = await outlineWithin({ documents: [{ path, text }], tokens: 1_000, count });
 */
export async function outlineWithin({
  tokens,
  count,
  documents,
  ...options
}: Omit<OutlineOptions, 'budget'> & {
  readonly documents: readonly OutlineDocument[];
  readonly tokens: number;
  readonly count: CountTokens;
}): Promise<OutlineResult & { readonly tokens: number }> {
  const attempt = async (characters: number) => {
    const result = await outline({ ...options, documents, budget: { characters } });
    const counts = await Promise.all(result.documents.map(({ text }) => count(text)));
    return { ...result, tokens: counts.reduce((sum, one) => sum + one, 0) };
  };
  const whole = documents.reduce((sum, { text }) => sum + text.length, 0);
  // A token has at most about ten characters: what is longer cannot fit whole.
  if (whole <= tokens * 10) {
    const all = await attempt(Number.POSITIVE_INFINITY);
    if (all.tokens <= tokens) return all;
  }
  let budget = Math.max(firstShare * tokens - setAside, tokens * 0.5);
  let result = await attempt(budget * 4);
  for (let tries = 0; tries < mostTries && result.tokens > tokens; tries += 1) {
    budget *= shrink;
    result = await attempt(budget * 4);
  }
  return result.tokens > tokens ? await attempt(0) : result;
}
