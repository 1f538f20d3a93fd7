import { byScore, type LexicalAnswer, pathFactor, type RankedChunk, type ScoredChunk } from './rank.ts';
import { resultsOf, type SearchResult } from './results.ts';

/** Turns texts into vectors of length 1. `@longhaul/embeddings` has one. */
export interface Embedder {
  /** Vectors of different names are never compared. */
  readonly name: string;
  embed(texts: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<readonly Float32Array[]>;
}

/** A search service outside of this process. */
export interface RemoteSearch {
  search(of: {
    readonly query: string;
    readonly limit: number;
    readonly signal: AbortSignal;
  }): Promise<readonly SearchResult[]>;
}

/** How an answer was found: the first of these that could be used. */
export type SearchStrategy = 'workspace' | 'remote' | 'embeddings' | 'reranked' | 'lexical';

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly strategy: SearchStrategy;
  /** Why better strategies were not used; empty where none was tried. */
  readonly notes: readonly string[];
}

export interface SearchInput {
  readonly query: string;
  /** Results at most; 20 by default. */
  readonly limit?: number;
  /** Tokens of all results together, at 250 a chunk. */
  readonly budget?: number;
  /** Only files that this accepts are results. */
  readonly accept?: (path: string) => boolean;
  readonly signal?: AbortSignal;
}

/** What the ladder needs of an index. */
export interface LadderIndex {
  lexical(of: { readonly query: string; readonly signal: AbortSignal | undefined }): Promise<LexicalAnswer>;
  /** Every file from its first to its last line, where all of them together have at most so many tokens. */
  whole(of: { readonly budget: number; readonly signal: AbortSignal | undefined }): Promise<WholeFiles | undefined>;
  /** The chunks nearest to a question; `isComplete` where every chunk has a vector. */
  nearest(of: {
    readonly embedder: Embedder;
    readonly query: string;
    /** Chunks to give vectors first, where some have none. */
    readonly first: readonly number[];
    readonly signal: AbortSignal;
  }): Promise<{ readonly chunks: readonly ScoredChunk[]; readonly isComplete: boolean } | undefined>;
  /** Which of these paths are files of the workspace that may be shown. */
  listed(paths: readonly string[]): Promise<readonly string[]>;
}

type WholeFiles = readonly Pick<SearchResult, 'path' | 'startLine' | 'endLine'>[];

const remoteMs = 12_500;
const embeddingsMs = 8_000;
const tokensPerChunk = 250;
/** While vectors are missing, so many of the best lexical chunks are compared by meaning. */
const mostReranked = 100;

/**
 * Answers a question by the best strategy that can be used: the whole workspace if it fits, a remote service, embeddings,
 * the best lexical chunks reranked, lexical. The remote service is raced: local strategies run meanwhile, so that their
 * answer is there when it is late or fails.
 */
export async function climb(of: {
  readonly input: SearchInput;
  readonly index: LadderIndex;
  readonly embedder: Embedder | undefined;
  readonly remote: RemoteSearch | undefined;
}): Promise<SearchAnswer> {
  const { index, remote } = of;
  const { query, limit = 20, budget, accept = () => true, signal } = of.input;
  const most = Math.max(1, budget === undefined ? limit : Math.min(limit, Math.floor(budget / tokensPerChunk)));
  const lexical = accepted({ answer: await index.lexical({ query, signal }), accept });
  const files = budget === undefined ? undefined : await index.whole({ budget, signal });
  if (files) {
    const scores = new Map(lexical.candidates.map(({ path, score }) => [path, score]));
    const reasons = ['the whole workspace fits the budget'];
    const results = files
      .filter(({ path }) => accept(path))
      .map((file) => ({ ...file, score: scores.get(file.path) ?? 0, reasons }))
      .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
    return { results, strategy: 'workspace', notes: [] };
  }
  if (!remote) return await local({ ...of, lexical, accept, most, signal });
  const ended = new AbortController();
  const inner = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
  const here = local({ ...of, lexical, accept, most, signal: inner });
  here.catch(() => {});
  const found = await within({
    ms: remoteMs,
    signal,
    work: (late) => remote.search({ query, limit: most, signal: late }),
  });
  const results = await trusted({ found: found.value ?? [], index, accept });
  if (results.length === 0) {
    const answer = await here;
    return { ...answer, notes: [`remote search: ${found.problem ?? 'no results'}`, ...answer.notes] };
  }
  ended.abort();
  return { results: results.slice(0, most), strategy: 'remote', notes: [] };
}

/** What a service says is believed only about files that a listing of the workspace has. */
async function trusted(of: {
  readonly found: readonly SearchResult[];
  readonly index: LadderIndex;
  readonly accept: (path: string) => boolean;
}): Promise<SearchResult[]> {
  if (of.found.length === 0) return [];
  const listed = new Set(await of.index.listed([...new Set(of.found.map(({ path }) => path))]));
  return of.found.filter(({ path, startLine, endLine }) => {
    return listed.has(path) && of.accept(path) && startLine >= 1 && endLine >= startLine;
  });
}

async function local(of: {
  readonly input: SearchInput;
  readonly index: LadderIndex;
  readonly embedder: Embedder | undefined;
  readonly lexical: LexicalAnswer;
  readonly accept: (path: string) => boolean;
  readonly most: number;
  readonly signal: AbortSignal | undefined;
}): Promise<SearchAnswer> {
  const { index, embedder, lexical, accept, most, signal } = of;
  const { query } = of.input;
  const byWords = (notes: readonly string[]): SearchAnswer => ({
    results: resultsOf({ candidates: lexical.candidates, most }),
    strategy: 'lexical',
    notes,
  });
  if (!embedder) return byWords([]);
  const first = lexical.candidates.flatMap(({ chunks }) => chunks.map(({ id }) => id)).slice(0, mostReranked);
  const found = await within({
    ms: embeddingsMs,
    signal,
    work: (late) => index.nearest({ embedder, query, first, signal: late }),
  });
  if (!found.value) return byWords([`embeddings: ${found.problem ?? 'no vectors'}`]);
  const near = found.value.chunks.filter(({ path }) => accept(path));
  const candidates: readonly RankedChunk[] = fused({ query, lexical, near });
  const strategy = found.value.isComplete ? 'embeddings' : 'reranked';
  return { results: resultsOf({ candidates, most }), strategy, notes: [] };
}

function accepted(of: { readonly answer: LexicalAnswer; readonly accept: (path: string) => boolean }): LexicalAnswer {
  return { ...of.answer, candidates: of.answer.candidates.filter(({ path }) => of.accept(path)) };
}

/** How fast a rank loses its worth: the first counts 1/11, the tenth 1/20. */
const rankOffset = 10;

/**
 * Both rankings of files in one, by their ranks: words and meaning are measured differently, so that scores cannot be
 * added. The path counts for meaning as well, but less: similarities differ by little.
 */
function fused(of: {
  readonly query: string;
  readonly lexical: LexicalAnswer;
  /** Chunks near the question, best first. */
  readonly near: readonly ScoredChunk[];
}): RankedChunk[] {
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
  const merged = new Map<string, RankedChunk>(
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

/** What came of a piece of work: its value, or why there is none. */
interface StrategyOutcome<T> {
  readonly value?: T;
  readonly problem?: string;
}

/** Gives a piece of work a number of milliseconds. Its failure is an outcome; only an abort by the caller is thrown. */
async function within<T>(of: {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly work: (signal: AbortSignal) => Promise<T>;
}): Promise<StrategyOutcome<T>> {
  of.signal?.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), of.ms);
  const signal = of.signal ? AbortSignal.any([of.signal, timeout.signal]) : timeout.signal;
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  signal.addEventListener('abort', () => late.reject(signal.reason), { once: true });
  try {
    return { value: await Promise.race([of.work(signal), late.promise]) };
  } catch (error) {
    of.signal?.throwIfAborted();
    if (timeout.signal.aborted) return { problem: `no answer within ${of.ms / 1_000} s` };
    return { problem: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
