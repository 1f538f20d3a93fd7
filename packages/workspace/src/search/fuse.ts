import { byScore, type Candidate, type LexicalAnswer, pathFactor, type ScoredChunk } from './rank.ts';

/** How fast a rank loses its worth: the first counts 1/11, the tenth 1/20. */
const rankOffset = 10;

/**
 * Both rankings of files in one, by their ranks: words and meaning are measured differently, so that scores cannot be
 * added. The path counts for meaning as well, but less: similarities differ by little.
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
  const merged = new Map<string, Candidate>(
    lexical.candidates.map((candidate, rank) => [candidate.path, { ...candidate, score: worth(rank) }]),
  );
  for (const [rank, { path, chunks }] of similar.sort(byScore).entries()) {
    const words = merged.get(path);
    merged.set(path, {
      path,
      score: (words?.score ?? 0) + worth(rank),
      reasons: [...(words?.reasons ?? []), `similar in meaning (${(chunks[0]?.score ?? 0).toFixed(2)})`],
      chunks: words?.chunks ?? chunks,
    });
  }
  return [...merged.values()].sort(byScore);
}

function worth(rank: number): number {
  return 1 / (rankOffset + rank + 1);
}
