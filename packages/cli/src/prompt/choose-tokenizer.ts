import { LonghaulError } from 'longhaul';
import { createPromptTokenizer, type ITokenizer } from 'longhaul/prompt';
import { createTokenizer, encodings, estimateTokens } from 'longhaul/tokens';
import { closest } from '../text/closest.ts';

/** Ways to count besides the exact ones. */
const others = { estimate: estimateTokens, letters: (text: string) => text.length } as const;

export const tokenizerNames: readonly string[] = [...encodings, ...Object.keys(others)];

/**
 * How a prompt is counted.
 *
 * @example
 * const tokenizer = await chooseTokenizer({ name: 'o200k_base' });
 */
export async function chooseTokenizer({ name }: { readonly name: string }): Promise<ITokenizer<1>> {
  const encoding = encodings.find((each) => each === name);
  if (encoding) return createPromptTokenizer({ count: (await createTokenizer(encoding)).count });
  if (name === 'estimate' || name === 'letters') return createPromptTokenizer({ count: others[name] });
  const meant = closest({ word: name, candidates: tokenizerNames });
  throw new LonghaulError({
    code: 'unknown-encoding',
    message: `There is no tokenizer called ${name}.`,
    hint: meant ? `Did you mean ${meant}?` : `Use one of ${tokenizerNames.join(', ')}.`,
  });
}
