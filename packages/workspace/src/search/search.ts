import { connectWorker, type WorkerClient, workerUrl } from '../worker/rpc.ts';
import type { ChunkText, IndexMethods, IndexPlace } from './index-methods.ts';
import type { IndexProgress, IndexReport } from './indexer.ts';
import { byScore, type Candidate, type LexicalAnswer, pathFactor, type ScoredChunk } from './rank.ts';

/** Turns texts into vectors of length 1. */
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

/** How an answer was found: the first of these that could be used. */
export type SearchStrategy = 'workspace' | 'remote' | 'embeddings' | 'reranked' | 'lexical';

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly strategy: SearchStrategy;
  /** Why better strategies were not used; empty where none was tried. */
  readonly notes: readonly string[];
}

/** An index of the code below a folder. */
export interface CodeIndex {
  /** Brings the index up to date with the files. */
  refresh(options?: {
    readonly onProgress?: (progress: IndexProgress) => void;
    readonly signal?: AbortSignal;
  }): Promise<IndexReport>;
  /** Brings single paths up to date, as a watcher names them. */
  refreshPaths(paths: readonly string[]): Promise<void>;
  search(of: SearchInput): Promise<SearchAnswer>;
  /** The texts of results, as they are now. */
  texts(results: readonly SearchResult[]): Promise<readonly string[]>;
  /** Fills in vectors for chunks that have none; ends early where it is aborted. */
  embed(options?: {
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: IndexProgress) => void;
  }): Promise<void>;
  close(): Promise<void>;
}

export interface SearchInput {
  readonly query: string;
  /** Results at most. */
  readonly limit?: number;
  /** Tokens of all results together, at 250 a chunk. */
  readonly budget?: number;
  readonly signal?: AbortSignal;
}

const remoteMs = 12_500;
const embeddingsMs = 8_000;
const tokensPerChunk = 250;
/** Results below this share of the best are left out: a spread of 0.75. */
const leastShare = 0.25;
/** While vectors are missing, so many of the best lexical chunks are compared by meaning. */
const mostReranked = 100;
const batchSize = 32;

/**
 * Opens the index of a folder; it is made by the first `refresh`. All work on files and SQLite runs in a worker thread.
 *
 * @example
 * const index = openCodeIndex({ root: process.cwd(), file: '.longhaul/code-index.sqlite' });
 * await index.refresh();
 * const { results } = await index.search({ query: 'where is the retry delay computed', limit: 5 });
 */
export function openCodeIndex({
  root,
  file,
  deny = [],
  embedder,
  remote,
}: {
  readonly root: string;
  /** The SQLite file of the index. It can be deleted at any time. */
  readonly file: string;
  /** Files to leave out, as patterns of `.gitignore`. */
  readonly deny?: readonly string[];
  readonly embedder?: Embedder;
  readonly remote?: RemoteSearch;
}): CodeIndex {
  const place: IndexPlace = { root, file, deny };
  const worker: WorkerClient<IndexMethods> = connectWorker({
    url: workerUrl({ from: import.meta.url, module: 'search/index-worker' }),
  });
  const index: CodeIndex = {
    refresh: ({ onProgress, signal } = {}) =>
      worker.call({
        method: 'refresh',
        input: { place },
        signal,
        onProgress: (value) => onProgress?.(value as IndexProgress),
      }),
    refreshPaths: (paths) => worker.call({ method: 'refreshPaths', input: { place, paths } }),
    search,
    async texts(results) {
      return await worker.call({
        method: 'lines',
        input: { place, ranges: results.map(({ path, startLine, endLine }) => ({ path, startLine, endLine })) },
      });
    },
    embed,
    async close() {
      await worker.call({ method: 'close', input: { place } });
      await worker.close();
    },
  };
  return index;

  async function search({ query, limit = 20, budget, signal }: SearchInput): Promise<SearchAnswer> {
    const most = Math.max(1, Math.min(limit, budget === undefined ? limit : Math.floor(budget / tokensPerChunk)));
    const notes: string[] = [];
    const lexical = await worker.call({ method: 'lexical', input: { place, query }, signal });
    const { characters } = await worker.call({ method: 'counts', input: { place }, signal });
    if (budget !== undefined && characters > 0 && characters / 4 <= budget) {
      const files = await worker.call({ method: 'wholeFiles', input: { place }, signal });
      const scores = new Map(lexical.candidates.map(({ path, score }) => [path, score]));
      const results = files
        .map((whole) => ({
          ...whole,
          score: scores.get(whole.path) ?? 0,
          reasons: ['the whole workspace fits the budget'],
        }))
        .sort(byScore);
      return { results, strategy: 'workspace', notes };
    }
    if (remote) {
      const found = await within({
        ms: remoteMs,
        signal,
        work: (inner) => remote.search({ query, limit: most, signal: inner }),
      });
      if (found.value && found.value.length > 0)
        return { results: found.value.slice(0, most), strategy: 'remote', notes };
      notes.push(`remote search: ${found.problem ?? 'no results'}`);
    }
    if (embedder) {
      const found = await within({
        ms: embeddingsMs,
        signal,
        work: (inner) => byMeaning({ query, lexical, embedder, signal: inner }),
      });
      if (found.value) {
        return {
          results: resultsOf({ candidates: found.value.candidates, most }),
          strategy: found.value.strategy,
          notes,
        };
      }
      notes.push(`embeddings: ${found.problem ?? 'no results'}`);
    }
    return { results: resultsOf({ candidates: lexical.candidates, most }), strategy: 'lexical', notes };
  }

  async function byMeaning(of: {
    readonly query: string;
    readonly lexical: LexicalAnswer;
    readonly embedder: Embedder;
    readonly signal: AbortSignal;
  }): Promise<{ readonly candidates: readonly Candidate[]; readonly strategy: 'embeddings' | 'reranked' } | undefined> {
    const { query, lexical, signal } = of;
    const model = of.embedder.name;
    const [vector] = await of.embedder.embed([query], { signal });
    if (!vector) return undefined;
    const missing = await worker.call({ method: 'withoutVectors', input: { place, model, limit: 1 }, signal });
    if (missing.length > 0) {
      const ids = lexical.candidates.flatMap(({ chunks }) => chunks.map(({ id }) => id)).slice(0, mostReranked);
      const known = new Set((await worker.call({ method: 'withVectors', input: { place, model, ids }, signal })) ?? []);
      await embedChunks({ ids: ids.filter((id) => !known.has(id)), embedder: of.embedder, signal });
    }
    const { hits } = await worker.call({ method: 'nearest', input: { place, model, vector, limit: 200 }, signal });
    const places = await worker.call({ method: 'places', input: { place, ids: hits.map(({ id }) => id) }, signal });
    const similarity = new Map(hits.map(({ id, similarity }) => [id, similarity]));
    const near = places.map((chunk): ScoredChunk => ({ ...chunk, score: similarity.get(chunk.id) ?? 0 }));
    return { candidates: fused({ query, lexical, near }), strategy: missing.length > 0 ? 'reranked' : 'embeddings' };
  }

  async function embedChunks(of: {
    readonly ids: readonly number[];
    readonly embedder: Embedder;
    readonly signal?: AbortSignal | undefined;
  }): Promise<void> {
    const { embedder, signal } = of;
    for (let start = 0; start < of.ids.length; start += batchSize) {
      signal?.throwIfAborted();
      const ids = of.ids.slice(start, start + batchSize);
      const chunks: readonly ChunkText[] = await worker.call({ method: 'texts', input: { place, ids }, signal });
      const vectors = await embedder.embed(
        chunks.map(({ path, text }) => `${path}\n${text}`),
        { ...(signal && { signal }) },
      );
      const rows = chunks.flatMap(({ id }, at) => (vectors[at] ? [{ id, vector: vectors[at] }] : []));
      await worker.call({ method: 'addVectors', input: { place, model: embedder.name, vectors: rows } });
    }
  }

  async function embed({ signal, onProgress }: Parameters<CodeIndex['embed']>[0] = {}): Promise<void> {
    if (!embedder) return;
    const input = { place, model: embedder.name, limit: 1_000_000 };
    const ids = await worker.call({ method: 'withoutVectors', input, signal });
    for (let start = 0; start < ids.length; start += batchSize) {
      onProgress?.({ done: start, total: ids.length });
      await embedChunks({ ids: ids.slice(start, start + batchSize), embedder, signal });
    }
    onProgress?.({ done: ids.length, total: ids.length });
  }
}

/** Both rankings of files in one: shares of the best score of each, since words and meaning are measured differently. */
function fused(of: {
  readonly query: string;
  readonly lexical: LexicalAnswer;
  readonly near: readonly ScoredChunk[];
}): Candidate[] {
  const { query, lexical, near } = of;
  const byFile = new Map<string, ScoredChunk[]>();
  for (const chunk of near) {
    const chunks = byFile.get(chunk.path);
    if (chunks) chunks.push(chunk);
    else byFile.set(chunk.path, [chunk]);
  }
  const semantic = [...byFile].map(([path, chunks]) => {
    const { factor } = pathFactor({ path, query, terms: lexical.terms, symbols: chunks.map(({ symbols }) => symbols) });
    return { path, chunks, score: (chunks[0]?.score ?? 0) * Math.sqrt(factor) };
  });
  const [bestWords, bestMeaning] = [
    lexical.candidates[0]?.score ?? 1,
    Math.max(1e-9, ...semantic.map(({ score }) => score)),
  ];
  const merged = new Map<string, Candidate>();
  for (const candidate of lexical.candidates) {
    merged.set(candidate.path, { ...candidate, score: candidate.score / bestWords });
  }
  for (const { path, chunks, score } of semantic) {
    const words = merged.get(path);
    const share = Math.max(0, score / bestMeaning);
    const reason = `similar in meaning (${(chunks[0]?.score ?? 0).toFixed(2)})`;
    merged.set(path, {
      path,
      score: (words?.score ?? 0) + share,
      reasons: [...(words?.reasons ?? []), reason],
      chunks: words ? words.chunks : chunks,
    });
  }
  return [...merged.values()].sort(byScore);
}

/** The best chunk of each file in the order of the files; further chunks of a file come after those of others. */
function resultsOf({
  candidates,
  most,
}: {
  readonly candidates: readonly Candidate[];
  readonly most: number;
}): SearchResult[] {
  const results = candidates.flatMap(({ path, score, reasons, chunks }) => {
    const best = chunks[0]?.score ?? 1;
    return chunks.map((chunk, index): SearchResult => {
      const share = index === 0 ? 1 : 0.4 * (chunk.score / best);
      return { path, startLine: chunk.start, endLine: chunk.end, score: score * share, reasons };
    });
  });
  const sorted = results.sort((a, b) => byScore(a, b) || a.startLine - b.startLine);
  const least = (sorted[0]?.score ?? 0) * leastShare;
  return sorted.filter(({ score }) => score >= least).slice(0, most);
}

/** The value of a piece of work, or why there is none: too late, or failed. An abort by the caller is thrown. */
async function within<T>(of: {
  readonly ms: number;
  readonly signal?: AbortSignal | undefined;
  readonly work: (signal: AbortSignal) => Promise<T>;
}): Promise<{ readonly value?: T; readonly problem?: string }> {
  const timeout = AbortSignal.timeout(of.ms);
  const signal = of.signal ? AbortSignal.any([of.signal, timeout]) : timeout;
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return { value: await Promise.race([of.work(signal), late]) };
  } catch (error) {
    of.signal?.throwIfAborted();
    return {
      problem: timeout.aborted
        ? `no answer within ${of.ms / 1_000} s`
        : error instanceof Error
          ? error.message
          : String(error),
    };
  }
}
