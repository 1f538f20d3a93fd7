import type { Terms } from './terms.ts';

const width = 160;

/** The stretch of a text that holds the most of what was looked for, on one line. */
export function snippetOf({ text, terms }: { readonly text: string; readonly terms: Terms }): string {
  const words = [...new Set(terms.phrases.flat().map((word) => word.toLowerCase()))];
  const found = places({ text, words });
  const start = Math.max(0, bestStart(found) - 40);
  const end = Math.min(text.length, start + width);
  const cut = text.slice(start, end).replace(/\s+/g, ' ').trim().toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

interface Found {
  readonly at: number;
  readonly word: string;
}

/** Where the words are. The first thousand tell enough about a long text. */
function places({ text, words }: { readonly text: string; readonly words: readonly string[] }): Found[] {
  if (words.length === 0) return [];
  const pattern = new RegExp(words.map((word) => RegExp.escape(word)).join('|'), 'giu');
  const found: Found[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ at: match.index, word: match[0].toLowerCase() });
    if (found.length === 1000) break;
  }
  return found;
}

function bestStart(found: readonly Found[]): number {
  let best = { at: found[0]?.at ?? 0, words: 0 };
  for (const [index, { at }] of found.entries()) {
    const within = new Set<string>();
    for (let next = index; next < found.length; next += 1) {
      const other = found[next];
      if (!other || other.at > at + width - 40) break;
      within.add(other.word);
    }
    if (within.size > best.words) best = { at, words: within.size };
  }
  return best.at;
}
