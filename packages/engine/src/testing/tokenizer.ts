/**
 * A tokenizer where one character (code point) is one token, so that expected numbers in tests can be checked by eye.
 *
 * @example
 * characterTokenizer.count('héllo 👋'); // 7
 */
export const characterTokenizer = {
  encoding: 'characters',

  count(text: string): number {
    return this.countUpTo(text, Number.POSITIVE_INFINITY);
  },

  encode(text: string): number[] {
    return Array.from(text, (character) => character.codePointAt(0) ?? 0);
  },

  /** Stops counting at `limit`. */
  countUpTo(text: string, limit: number): number {
    let count = 0;
    for (const _ of text) {
      if (count >= limit) break;
      count += 1;
    }
    return count;
  },
} as const;
