import { createHash } from 'node:crypto';
import { chunksOf } from './chunk.ts';
import { listFile, listFiles, type WorkspaceFile } from './files.ts';
import type { IndexedFile, IndexStore } from './index-store.ts';
import { readText } from './regular.ts';

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

/** Files of one transaction: what a kill can cost at most. */
const batchSize = 500;

/**
 * Brings an index up to the files as they are now: what is new or changed by content is read, what is gone leaves. A run
 * that was killed continues after its last batch.
 */
export function* bringUpToDate(of: {
  readonly root: string;
  readonly store: IndexStore;
  readonly deny?: readonly string[];
}): Generator<IndexProgress, IndexReport> {
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
  for (let start = 0; start < due.length; start += batchSize) {
    const batch = due.slice(start, start + batchSize);
    store.transaction(() => {
      for (const file of batch) {
        const before = known.get(file.path);
        if (!indexFile({ root, store, file, before })) continue;
        if (before) changed += 1;
        else added += 1;
      }
    });
    yield { done: Math.min(due.length, start + batchSize), total: due.length };
  }
  return { files: store.counts().files, added, changed, removed, isComplete };
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
        if (!isSame({ file, known: before })) indexFile({ root, store, file, before });
      }
    }
  });
  return { folders };
}

function isSame({ file, known }: { readonly file: WorkspaceFile; readonly known: IndexedFile | undefined }): boolean {
  return known !== undefined && known.size === file.size && known.mtime === file.mtime;
}

/** Whether its content was new to the index. */
function indexFile(of: {
  readonly root: string;
  readonly store: IndexStore;
  readonly file: WorkspaceFile;
  readonly before: IndexedFile | undefined;
}): boolean {
  const { root, store, file, before } = of;
  const { path, size, mtime } = file;
  const text = readText({ root, path }) ?? '';
  const hash = createHash('sha1').update(text).digest('base64');
  if (before?.hash === hash) {
    store.touch(file);
    return false;
  }
  if (before) store.remove(path);
  // A file with nothing to find is remembered as well, so that it is not read at each start.
  store.add({ path, size, mtime, hash, chunks: chunksOf(text) });
  return true;
}
