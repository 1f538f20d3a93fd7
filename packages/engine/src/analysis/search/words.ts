/** Words that every question has. */
const functionWords = new Set(
  `a about after again all also an and any are as at be because been before being between both but by can could did do
  does doing done for from had has have having he her here his how i if in into is it its just like me more most much my
  no not of off on once one only or other our out over own same she should so some such than that the their them then
  there these they this those through to too under until up upon use used very was we were what when where which while
  who whom whose why will with within without would you your`.split(/\s+/),
);

const word = /\p{L}+|\p{N}+/gu;
/** `getUserName`, `HTTPServer` and `v2` are several words. */
const inner = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}+/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * The words of a text as they are looked for: names in their pieces, endings taken off, in lower case.
 *
 * @example
 * searchWords('readConfigFiles()'); // ['readconfigfile', 'read', 'config', 'file']
 */
export function searchWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(word)) {
    if (unspaced.test(run)) {
      words.push(...run);
      continue;
    }
    const pieces = run.match(inner) ?? [run];
    if (pieces.length > 1) words.push(stem(run.toLowerCase()));
    for (const piece of pieces) {
      const lower = piece.toLowerCase();
      if (!functionWords.has(lower)) words.push(stem(lower));
    }
  }
  return words;
}

/** What every word begins with that is looked for as this one; words are letters or digits only. */
export function beginningOf(word: string): string {
  // `queries` is looked for as `query`.
  return word.endsWith('y') ? word.slice(0, -1) : word;
}

/** Takes off what English adds to a word, roughly and always the same. */
function stem(word: string): string {
  if (word.length < 5) return word.length === 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
  const base = word.replace(/(?:ies|ied)$/, 'y').replace(/(?:ingly|edly|ings?|ers?|ors?|ed|es|ly|s)$/, '');
  const kept = base.length >= 3 ? base : word;
  return kept.replace(/([^aeiouls])\1$/, '$1').replace(/e$/, '');
}
