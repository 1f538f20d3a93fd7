import { type FSWatcher, realpathSync, watch as watchFolder } from 'node:fs';
import { join } from 'node:path';
import { connectWorker, type WorkspaceWorker, workerUrl } from '../worker/rpc.ts';
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
  const worker: WorkspaceWorker<IndexMethods> = connectWorker({
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

/** Gives the chunks of an index their vectors. */
interface Filling {
  /** All that are missing. */
  all(options: {
    readonly signal?: AbortSignal | undefined;
    readonly onProgress?: ((progress: IndexProgress) => void) | undefined;
  }): Promise<void>;
  /** These chunks first, as far as there is time; whether no chunk is without a vector. */
  ensure(of: { readonly ids: readonly number[]; readonly signal: AbortSignal }): Promise<boolean>;
  /** Fills in what is missing in the background. */
  start(): void;
  stop(): Promise<void>;
}

const batchSize = 16;
/** A search waits so long for vectors of its best chunks, then compares those that are there. */
const ensureMs = 5_000;
/** Between two batches in the background: others have work to do. */
const pauseMs = 5;

function createFilling(of: {
  readonly worker: WorkspaceWorker<IndexMethods>;
  readonly place: IndexPlace;
  readonly embedder: Embedder;
}): Filling {
  const { worker, place, embedder } = of;
  const model = embedder.name;
  const ended = new AbortController();
  let background: Promise<void> | undefined;
  let isAskedAgain = false;

  const missing = async (limit: number, signal?: AbortSignal | undefined): Promise<number[]> =>
    await worker.call({ method: 'withoutVectors', input: { place, model, limit }, signal });

  const fill = async ({
    ids,
    signal,
  }: {
    readonly ids: readonly number[];
    readonly signal?: AbortSignal | undefined;
  }) => {
    signal?.throwIfAborted();
    const chunks = await worker.call({ method: 'texts', input: { place, ids }, signal });
    const vectors = await embedder.embed(
      chunks.map(({ path, text }) => `${path}\n${text}`),
      signal ? { signal } : {},
    );
    const known = new Set(chunks.map(({ id }) => id));
    const rows = [
      ...chunks.flatMap(({ id }, at) => (vectors[at] ? [{ id, vector: vectors[at] }] : [])),
      // A chunk whose file cannot be read now is near to nothing; it is indexed again when the file is back.
      ...ids.filter((id) => !known.has(id)).map((id) => ({ id, vector: new Float32Array(vectors[0]?.length ?? 1) })),
    ];
    await worker.call({ method: 'addVectors', input: { place, model, vectors: rows } });
  };

  const all: Filling['all'] = async ({ signal, onProgress }) => {
    const ids = await missing(10_000_000, signal);
    for (let start = 0; start < ids.length; start += batchSize) {
      onProgress?.({ done: start, total: ids.length });
      await fill({ ids: ids.slice(start, start + batchSize), signal });
      if (background) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    onProgress?.({ done: ids.length, total: ids.length });
  };

  const run = async () => {
    do {
      isAskedAgain = false;
      await all({ signal: ended.signal });
    } while (isAskedAgain);
  };

  return {
    all,
    async ensure({ ids, signal }) {
      if ((await missing(1, signal)).length === 0) return true;
      const known = new Set(await worker.call({ method: 'withVectors', input: { place, model, ids }, signal }));
      const due = ids.filter((id) => !known.has(id));
      const until = performance.now() + ensureMs;
      for (let start = 0; start < due.length && performance.now() < until; start += batchSize) {
        await fill({ ids: due.slice(start, start + batchSize), signal });
      }
      return (await missing(1, signal)).length === 0;
    },
    start() {
      isAskedAgain = true;
      if (background || ended.signal.aborted) return;
      // A failure ends the filling; searches go on with the vectors that are there.
      background = run()
        .catch(() => {})
        .finally(() => {
          background = undefined;
        });
    },
    async stop() {
      ended.abort();
      await background;
    },
  };
}

/** Paths that changed since they were last taken. */
interface Watching {
  /** Changed paths; a folder means all below it. */
  take(): string[];
  /** Further folders to watch. */
  add(folders: readonly string[]): void;
  /** `false` where the system has no more watchers: changes are then found by listing files. */
  readonly isComplete: boolean;
  close(): void;
}

/**
 * Watches folders of a workspace, one watcher each: only those that are indexed, since dependencies have many times as many.
 * Errors of watchers end them, never the caller.
 */
function watchFolders({
  root,
  folders,
  onChange,
}: {
  readonly root: string;
  readonly folders: readonly string[];
  readonly onChange: () => void;
}): Watching {
  const watchers = new Map<string, FSWatcher>();
  const changed = new Set<string>();
  let isComplete = true;
  const drop = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  const add = (added: readonly string[]) => {
    for (const folder of added) {
      if (watchers.has(folder)) continue;
      try {
        const watcher = watchFolder(join(root, folder), { persistent: false }, (_, name) => {
          changed.add(name === null ? folder : folder === '' ? name : `${folder}/${name}`);
          onChange();
        });
        watcher.on('error', () => drop(folder));
        watchers.set(folder, watcher);
      } catch (error) {
        const isGone = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isGone) isComplete = false;
      }
    }
  };
  add(folders);
  return {
    add,
    get isComplete() {
      return isComplete;
    },
    take() {
      const paths = [...changed];
      changed.clear();
      return paths;
    },
    close() {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}
