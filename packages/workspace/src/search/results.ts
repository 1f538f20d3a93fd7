import { byScore, type RankedChunk } from './rank.ts';

/** A place in the workspace that answers a question. */
export interface SearchResult {
  /** From the root, with `/`. */
  readonly path: string;
  /** 1-based, inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** Best first; comparable within one answer only. */
  readonly score: number;
  /** Why it was found, for people. */
  readonly reasons: readonly string[];
}

/** Results below this share of the best are left out: a spread of 0.75. */
const leastShare = 0.25;
/** What a further chunk of a file counts, next to its best: other files come first. */
const furtherShare = 0.4;

/** The best chunk of each file in the order of the files; further chunks of a file come after those of others. */
export function resultsOf({
  candidates,
  most,
}: {
  readonly candidates: readonly RankedChunk[];
  readonly most: number;
}): SearchResult[] {
  const results = candidates.flatMap(({ path, score, reasons, chunks }) => {
    const best = chunks[0]?.score ?? 1;
    return chunks.map((chunk, index): SearchResult => {
      const share = index === 0 ? 1 : furtherShare * Math.min(1, chunk.score / best);
      return { path, startLine: chunk.start, endLine: chunk.end, score: score * share, reasons };
    });
  });
  const sorted = results.sort((a, b) => byScore(a, b) || a.startLine - b.startLine);
  const least = (sorted[0]?.score ?? 0) * leastShare;
  return sorted.filter(({ score }) => score >= least).slice(0, most);
}
