import { describe, expect, it } from 'vitest';
import { tokenCount } from './token-count.ts';

const read = (text: string) => tokenCount({ flag: '--window', text, least: 1_000 });

describe('a number of tokens', () => {
  it.each([
    ['32000', 32_000],
    ['200_000', 200_000],
    ['32k', 32_000],
    ['32K', 32_000],
    ['1.5M', 1_500_000],
    ['1m', 1_000_000],
  ])('is %s', (text, tokens) => expect(read(text)).toBe(tokens));

  it.each(['', 'k', '32kk', '-3k', '1e5', '0.5k'])('is not "%s"', (text) =>
    expect(() => read(text)).toThrow('--window must be an integer of at least 1000'),
  );
});
