import { connectWorker, type WorkspaceWorker, workerUrl } from '../worker/rpc.ts';
import { listFile, listFiles, type WorkspaceFile } from './files.ts';
import type { IndexedFile, IndexStore } from './index-store.ts';
import { type FileToPrepare, type PreparedFile, prepareFiles, type prepareMethods } from './prepare-files.ts';

/** How far an indexing run is. */
export interface IndexProgress {
  readonly done: number;
  readonly total: number;
}

export interface IndexReport {
  readonly files: number;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** `false` where the workspace has more files than are indexed. */
  readonly isComplete: boolean;
}

/** Files that are prepared and written at a time. */
const batchSize = 250;

/**
 * Files of one commit at most: what a kill can cost, less than half a second of work. The first commits are smaller, so that
 * it never costs more than half of the work done.
 */
const mostPerCommit = 2_000;

/** From this many files on, a second thread prepares them while the first one writes. */
const leastForThread = 1_000;

/** Batches that are prepared ahead of the one that is written: they bound the memory of a run. */
const batchesAhead = 4;

/**
 * Brings an index up to the files as they are now: what is new or changed by content is read, what is gone leaves. A run
 * that was killed continues after its last batch.
 */
export async function* bringUpToDate(of: {
  readonly root: string;
  readonly store: IndexStore;
  readonly deny?: readonly string[];
}): AsyncGenerator<IndexProgress, IndexReport> {
  const { root, store, deny = [] } = of;
  const { files, isComplete } = listFiles({ root, deny });
  const known = new Map(store.files().map((file) => [file.path, file]));
  const due = files.filter((file) => !isSame({ file, known: known.get(file.path) }));
  const present = new Set(files.map(({ path }) => path));
  const gone = [...known.keys()].filter((path) => !present.has(path));
  let [added, changed, removed] = [0, 0, 0];
  for (let start = 0; start < gone.length; start += batchSize) {
    store.transaction(() => {
      for (const path of gone.slice(start, start + batchSize)) store.remove(path);
    });
    removed += Math.min(batchSize, gone.length - start);
  }
  yield { done: 0, total: due.length };
  let done = 0;
  let uncommitted = 0;
  try {
    for await (const batch of prepared({
      root,
      due: due.map((file) => toPrepare({ file, known: known.get(file.path) })),
    })) {
      store.beginBatch();
      store.transaction(() => {
        for (const file of batch) {
          const before = known.get(file.path);
          if (!write({ store, file, before })) continue;
          if (before) changed += 1;
          else added += 1;
        }
      });
      done += batch.length;
      uncommitted += batch.length;
      if (uncommitted >= Math.min(mostPerCommit, done / 2)) {
        store.commitBatch();
        uncommitted = 0;
      }
      yield { done, total: due.length };
    }
  } finally {
    store.commitBatch();
  }
  return { files: store.counts().files, added, changed, removed, isComplete };
}

function toPrepare({
  file,
  known,
}: {
  readonly file: WorkspaceFile;
  readonly known: IndexedFile | undefined;
}): FileToPrepare {
  return known ? { ...file, indexedHash: known.hash } : file;
}

/** The files in batches, prepared in a thread of their own where there are many. */
async function* prepared(of: {
  readonly root: string;
  readonly due: readonly FileToPrepare[];
}): AsyncGenerator<readonly PreparedFile[]> {
  const { root, due } = of;
  const batches = Array.from({ length: Math.ceil(due.length / batchSize) }, (_, at) =>
    due.slice(at * batchSize, (at + 1) * batchSize),
  );
  if (due.length < leastForThread) {
    for (const files of batches) yield prepareFiles({ root, files });
    return;
  }
  const worker: WorkspaceWorker<typeof prepareMethods> = connectWorker({
    url: workerUrl({ from: import.meta.url, module: 'search/prepare-worker' }),
  });
  const prepare = async (files: readonly FileToPrepare[]) =>
    // Where the thread fails, this one does its work.
    await worker.call({ method: 'prepare', input: { root, files } }).catch(() => prepareFiles({ root, files }));
  try {
    const ahead = batches.splice(0, batchesAhead).map(prepare);
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      const batch = await next;
      const [further] = batches.splice(0, 1);
      if (further) ahead.push(prepare(further));
      yield batch;
    }
  } finally {
    await worker.close();
  }
}

/**
 * Brings single paths up to date, as a watcher names them: files, and folders with all below them. Other rules in a
 * `.gitignore` concern everything in its folder.
 */
export function refreshPaths(of: {
  readonly root: string;
  readonly store: IndexStore;
  readonly paths: readonly string[];
  readonly deny?: readonly string[];
}): { readonly folders: string[] } {
  const { root, store, paths, deny = [] } = of;
  const places = new Set(paths.map((path) => path.replace(/(?:^|\/)\.gitignore$/, '')));
  const folders: string[] = [];
  store.transaction(() => {
    for (const path of places) {
      const listed = path === '' ? undefined : listFile({ root, path, deny });
      const below = listed ? { files: [listed], folders: [] } : listFiles({ root, deny, below: path });
      folders.push(...below.folders);
      const present = new Set(below.files.map((file) => file.path));
      for (const known of path === '' ? store.files() : store.filesBelow(path)) {
        if (!present.has(known.path)) store.remove(known.path);
      }
      for (const file of below.files) {
        const before = store.file(file.path);
        if (isSame({ file, known: before })) continue;
        for (const one of prepareFiles({ root, files: [toPrepare({ file, known: before })] }))
          write({ store, file: one, before });
      }
    }
    store.mergeSome();
  });
  return { folders };
}

function isSame({ file, known }: { readonly file: WorkspaceFile; readonly known: IndexedFile | undefined }): boolean {
  return known !== undefined && known.size === file.size && known.mtime === file.mtime;
}

/** Whether its content was new to the index. */
function write(of: {
  readonly store: IndexStore;
  readonly file: PreparedFile;
  readonly before: IndexedFile | undefined;
}): boolean {
  const { store, file, before } = of;
  if (!file.chunks) {
    store.touch(file);
    return false;
  }
  if (before) store.remove(file.path);
  store.add({ ...file, chunks: file.chunks });
  return true;
}
