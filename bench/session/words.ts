import type { Random } from 'longhaul/testing';

const syllables = ['ka', 'ro', 'mi', 'te', 'su', 'la', 'ven', 'dor', 'pix', 'qua', 'ze', 'th', 'or', 'an', 'el', 'ist'];

/** The word of this rank; small ranks are common ones. */
export function wordAt(rank: number): string {
  let word = '';
  for (let rest = rank + 17; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

/** Words as in speech: few are most of it, many are rare. */
export function sentence(random: Random, words: number): string {
  return Array.from({ length: words }, () => wordAt(Math.floor(random.next() ** 3 * vocabulary))).join(' ');
}

export const vocabulary = 20_000;
