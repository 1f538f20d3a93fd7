import { type FSWatcher, watch as watchFolder } from 'node:fs';
import { join } from 'node:path';

/** Paths that changed since they were last taken. */
export interface Watching {
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
export function watchFolders({
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
