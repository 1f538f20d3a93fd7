import { realpathSync } from 'node:fs';
import { connectWorker, type WorkerClient, workerUrl } from '../worker/rpc.ts';
import { createFilling } from './filling.ts';
import type { IndexMethods, IndexPlace } from './index-methods.ts';
import type { IndexProgress, IndexReport } from './indexer.ts';
import {
  climb,
  type Embedder,
  type LadderIndex,
  type RemoteSearch,
  type SearchAnswer,
  type SearchInput,
} from './ladder.ts';
import type { SearchResult } from './results.ts';
import { type Watching, watchFolders } from './watch.ts';

/** An index of the code below a folder. */
export interface CodeIndex {
  /** Brings the index up to date with the files. */
  refresh(options?: {
    readonly onProgress?: (progress: IndexProgress) => void;
    readonly signal?: AbortSignal;
  }): Promise<IndexReport>;
  /** Brings single paths up to date: files, or folders with all below them. */
  refreshPaths(paths: readonly string[]): Promise<void>;
  /** Follows changes of files from now on, until the index is closed. */
  watch(): Promise<void>;
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

/** Changes of files are gathered for so long before they are indexed; a search indexes them at once. */
const settleMs = 200;
/** Chunks near a question that are looked at. */
const mostNear = 400;

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
  fillsVectors = false,
}: {
  readonly root: string;
  /** The SQLite file of the index. It can be deleted at any time. */
  readonly file: string;
  /** Files to leave out, as patterns of `.gitignore`. */
  readonly deny?: readonly string[];
  readonly embedder?: Embedder | undefined;
  readonly remote?: RemoteSearch | undefined;
  /** Missing vectors are filled in while nothing else is asked for; else `embed` does it. */
  readonly fillsVectors?: boolean;
}): CodeIndex {
  const place: IndexPlace = { root: realpathSync(root), file, deny };
  const worker: WorkerClient<IndexMethods> = connectWorker({
    url: workerUrl({ from: import.meta.url, module: 'search/index-worker' }),
  });
  const filling = embedder && createFilling({ worker, place, embedder });
  let watching: Watching | undefined;
  let settling: NodeJS.Timeout | undefined;
  let flushed: Promise<void> = Promise.resolve();

  const fillLater = () => {
    if (fillsVectors) filling?.start();
  };

  const refresh: CodeIndex['refresh'] = async ({ onProgress, signal } = {}) => {
    const report = await worker.call({
      method: 'refresh',
      input: { place },
      signal,
      onProgress: (value) => onProgress?.(value as IndexProgress),
    });
    fillLater();
    return report;
  };

  const refreshPaths: CodeIndex['refreshPaths'] = async (paths) => {
    if (paths.length === 0) return;
    const { folders } = await worker.call({ method: 'refreshPaths', input: { place, paths } });
    watching?.add(folders);
    fillLater();
  };

  /** Indexes what changed; one run after the other. A failure leaves the index as it was, and the next refresh mends it. */
  const flush = async () => {
    clearTimeout(settling);
    settling = undefined;
    const run = async () => {
      if (!watching) return;
      const paths = watching.take();
      if (watching.isComplete) await refreshPaths(paths);
      else await refresh();
    };
    flushed = flushed.then(run, run);
    await flushed;
  };

  const ladder: LadderIndex = {
    lexical: ({ query, signal }) =>
      worker.call({ method: 'lexical', input: { place, query, now: Date.now() }, signal }),
    async whole({ budget, signal }) {
      const { characters } = await worker.call({ method: 'counts', input: { place }, signal });
      if (characters === 0 || characters / 4 > budget) return undefined;
      return await worker.call({ method: 'wholeFiles', input: { place }, signal });
    },
    async nearest({ embedder: model, query, first, signal }) {
      const [vector] = await model.embed([query], { signal });
      if (!vector || !filling) return undefined;
      const isComplete = await filling.ensure({ ids: first, signal });
      const input = { place, model: model.name, vector, limit: mostNear };
      return { chunks: await worker.call({ method: 'nearest', input, signal }), isComplete };
    },
    listed: (paths) => worker.call({ method: 'listed', input: { place, paths } }),
  };

  return {
    refresh,
    refreshPaths,
    async watch() {
      if (watching) return;
      const folders = await worker.call({ method: 'folders', input: { place } });
      watching ??= watchFolders({
        root: place.root,
        folders,
        onChange() {
          settling ??= setTimeout(() => void flush().catch(() => {}), settleMs).unref();
        },
      });
    },
    async search(input) {
      if (watching) await flush();
      return await climb({ input, index: ladder, embedder, remote });
    },
    async texts(results) {
      const ranges = results.map(({ path, startLine, endLine }) => ({ path, startLine, endLine }));
      return await worker.call({ method: 'lines', input: { place, ranges } });
    },
    async embed(options = {}) {
      await filling?.all(options);
    },
    async close() {
      clearTimeout(settling);
      watching?.close();
      watching = undefined;
      await filling?.stop();
      await flushed.catch(() => {});
      await worker.call({ method: 'close', input: { place } });
      await worker.close();
    },
  };
}
