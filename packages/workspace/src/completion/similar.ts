/** A part of another file that looks like what is being written. */
export interface SimilarSnippet {
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  /** Share of words that both have, of all words that one has. */
  readonly score: number;
}

const windowLines = 60;
const mostSnippets = 4;
const longestFile = 10_000;
const mostRemembered = 20;

const stopWords = new Set(
  (
    'a an and are as at be but by do for from has have if in into is it its no not of on or that the then there these this to ' +
    'was we what when which will with you abstract async await boolean break case catch class const continue def default delete ' +
    'else enum export extends false finally fn for function func if implements import instanceof interface let new null number ' +
    'package private protected public return self static string struct super switch this throw true try type typeof undefined ' +
    'use val var void while with yield'
  ).split(' '),
);

type Words = readonly (readonly string[])[];

const remembered = new Map<string, { readonly text: string; readonly words: Words }>();

/** The words of each line; those of the last 20 files are remembered. */
function wordsOf({ path, text }: { readonly path: string; readonly text: string }): Words {
  const known = remembered.get(path);
  remembered.delete(path);
  const words = known?.text === text ? known.words : text.split('\n').map(lineWords);
  remembered.set(path, { text, words });
  const [oldest] = remembered.keys();
  if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  return words;
}

function lineWords(line: string): string[] {
  return (line.slice(0, 1_000).match(/[A-Za-z0-9]+/g) ?? []).filter((word) => !stopWords.has(word));
}

/**
 * The parts of other files most like the 60 lines before the cursor, by the share of common words in windows of 60 lines:
 * one of each file at most, four in all, the best last, where it is nearest to the cursor.
 *
 * @example
 * similarSnippets({ before: text.slice(0, offset), files: [{ path: 'b.ts', text }] });
 */
export function similarSnippets({
  before,
  files,
}: {
  readonly before: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}): SimilarSnippet[] {
  const reference = new Set(before.split('\n').slice(-windowLines).flatMap(lineWords));
  if (reference.size === 0) return [];
  const snippets = files.flatMap(({ path, text }) => {
    if (text.length > longestFile) return [];
    const best = bestWindow({ words: wordsOf({ path, text }), reference });
    if (!best) return [];
    const lines = text.split('\n').slice(best.start, best.start + windowLines);
    const snippet = { path, startLine: best.start + 1, endLine: best.start + lines.length, text: lines.join('\n') };
    return [{ ...snippet, score: best.score }];
  });
  return snippets
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, mostSnippets)
    .reverse();
}

/** The first window with the highest share. Moving by a line changes the counts of two lines only. */
function bestWindow({ words, reference }: { readonly words: Words; readonly reference: ReadonlySet<string> }) {
  const counts = new Map<string, number>();
  let [common, best]: [number, { start: number; score: number } | undefined] = [0, undefined];
  const add = (line: readonly string[] = []) => {
    for (const word of line) {
      const count = counts.get(word) ?? 0;
      counts.set(word, count + 1);
      if (count === 0 && reference.has(word)) common += 1;
    }
  };
  const remove = (line: readonly string[] = []) => {
    for (const word of line) {
      const count = (counts.get(word) ?? 1) - 1;
      if (count > 0) counts.set(word, count);
      else {
        counts.delete(word);
        if (reference.has(word)) common -= 1;
      }
    }
  };
  for (let end = 0; end < words.length; end += 1) {
    add(words[end]);
    if (end >= windowLines) remove(words[end - windowLines]);
    if (end + 1 < Math.min(windowLines, words.length)) continue;
    const score = common / (counts.size + reference.size - common);
    if (score > (best?.score ?? 0)) best = { start: Math.max(0, end + 1 - windowLines), score };
  }
  return best;
}
