/** What somebody looks for. */
export interface Terms {
  /** Each is a sequence of words that must stand together: `src/a.ts` is three. */
  readonly phrases: readonly (readonly string[])[];
}

const word = /[\p{L}\p{N}\p{M}\p{Co}]+/gu;

/** Scripts written without spaces: each character is a word of its own, so that any piece of a sentence is found. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/gu;

/** Text as it goes into the index. */
export function indexable(text: string): string {
  return text.toWellFormed().replace(unspaced, ' $& ');
}

/** Words between quotation marks belong together, as do those joined by anything but spaces. */
export function parseTerms(text: string): Terms {
  const phrases = [...text.matchAll(/"([^"]*)"|\S+/g)]
    .map(([whole, quoted]) => indexable(quoted ?? whole).match(word) ?? [])
    .filter((words) => words.length > 0);
  return { phrases };
}

/** In FTS5's language: all phrases as they are. */
export function strictQuery({ phrases }: Terms): string {
  return phrases.map((words) => quoted(words)).join(' AND ');
}

/** Any of the words, also as the beginning of a longer one. */
export function looseQuery({ phrases }: Terms): string {
  const words = new Set(phrases.flat());
  return [...words].map((one) => (one.length >= 3 ? `${quoted([one])} *` : quoted([one]))).join(' OR ');
}

function quoted(words: readonly string[]): string {
  return `"${words.join(' ')}"`;
}
