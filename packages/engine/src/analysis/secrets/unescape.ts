/** Escape sequences of JSON, and colors of terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminals start a sequence with ESC
const sequences = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\u001b\[[\d;]{0,20}m/g;

/** Whether a text has escape sequences that change how it reads. */
export function hasEscapes(text: string): boolean {
  return (text.includes('\\') && /\\(?:["nrt\\]|u00)/.test(text)) || text.includes('\u001b[');
}

/**
 * A text with its JSON escape sequences resolved once and its colors removed, and where each place of it was before.
 *
 * @example
 * const { text, originOf } = unescaped('a\\nb'); // 'a' LF 'b'; originOf(2) is 3
 */
export function unescaped(text: string): { readonly text: string; readonly originOf: (at: number) => number } {
  const pieces: string[] = [];
  // Where each escape sequence was resolved, and how much shorter the text is from there on.
  const places: number[] = [];
  const removed: number[] = [];
  let [at, length, lost] = [0, 0, 0];
  for (const { 0: sequence, index } of text.matchAll(sequences)) {
    const meaning = meaningOf(sequence);
    pieces.push(text.slice(at, index), meaning);
    length += index - at + meaning.length;
    lost += sequence.length - meaning.length;
    places.push(length);
    removed.push(lost);
    at = index + sequence.length;
  }
  pieces.push(text.slice(at));
  return { text: pieces.join(''), originOf: (position) => position + (removed[lastAtOrBefore(places, position)] ?? 0) };
}

function meaningOf(sequence: string): string {
  const character = sequence.charAt(1);
  if (character === '[') return '';
  if (character === 'u') return String.fromCharCode(Number.parseInt(sequence.slice(2), 16));
  return { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }[character] ?? character;
}

/** The index of the last number that is not larger, or -1. */
function lastAtOrBefore(sorted: readonly number[], position: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
