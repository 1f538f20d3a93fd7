import { createTokenizer } from 'longhaul/tokens';

/** A tokenizer as both implementations take it; counts what OpenAI would be sent. */
export interface BenchTokenizer {
  readonly mode: 2;
  readonly additive: boolean;
  tokenLength(part: { readonly type: number; readonly text?: string }): number;
  countMessageTokens(message: unknown): number;
}

export type TokenizerName = 'cheap' | 'o200k';

/** `cheap` is a quarter of the length, `o200k` is exact. prompt-tsx does not look at `additive`. */
export async function benchTokenizer(of: {
  readonly name: TokenizerName;
  readonly additive: boolean;
}): Promise<BenchTokenizer> {
  const exact = of.name === 'o200k' ? await createTokenizer('o200k_base') : undefined;
  const count = exact ? (text: string) => exact.count(text) : (text: string) => Math.ceil(text.length / 4);
  const strings = (value: unknown): number => {
    if (typeof value === 'string') return count(value);
    if (typeof value !== 'object' || value === null) return 0;
    let sum = 0;
    for (const key in value) sum += strings((value as Record<string, unknown>)[key]);
    return sum;
  };
  return {
    mode: 2,
    additive: of.additive,
    tokenLength: ({ type, text }) => (type === 1 && text !== undefined ? count(text) : 0),
    countMessageTokens: (message) => 3 + strings(message),
  };
}
