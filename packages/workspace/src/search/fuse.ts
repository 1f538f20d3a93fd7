import { byScore, type Candidate, type LexicalAnswer, pathFactor, type ScoredChunk } from './rank.ts';

/** How much meaning counts next to words. */
const meaningWeight = 1.5;

/**
 * Both rankings of files in one: shares of the best score of each, since words and meaning are measured differently. The
 * path counts for meaning as well, but less: similarities differ by little.
 */
export function fused(of: {
  readonly query: string;
  readonly lexical: LexicalAnswer;
  /** Chunks near the question, best first. */
  readonly near: readonly ScoredChunk[];
}): Candidate[] {
  const { query, lexical, near } = of;
  const byFile = new Map<string, ScoredChunk[]>();
  for (const chunk of near) {
    const chunks = byFile.get(chunk.path);
    if (chunks) chunks.push(chunk);
    else byFile.set(chunk.path, [chunk]);
  }
  const similar = [...byFile].map(([path, chunks]) => {
    const { factor } = pathFactor({ path, query, terms: lexical.terms, symbols: chunks.map(({ symbols }) => symbols) });
    return { path, chunks, score: Math.max(0, chunks[0]?.score ?? 0) * Math.sqrt(factor) };
  });
  const bestWords = lexical.candidates[0]?.score ?? 1;
  const bestMeaning = similar.reduce((best, { score }) => Math.max(best, score), 1e-9);
  const merged = new Map<string, Candidate>(
    lexical.candidates.map((candidate) => [candidate.path, { ...candidate, score: candidate.score / bestWords }]),
  );
  for (const { path, chunks, score } of similar) {
    const words = merged.get(path);
    merged.set(path, {
      path,
      score: (words?.score ?? 0) + (meaningWeight * score) / bestMeaning,
      reasons: [...(words?.reasons ?? []), `similar in meaning (${(chunks[0]?.score ?? 0).toFixed(2)})`],
      chunks: words?.chunks ?? chunks,
    });
  }
  return [...merged.values()].sort(byScore);
}
