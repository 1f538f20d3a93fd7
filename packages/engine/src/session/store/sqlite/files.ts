import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * The few things done with files that SQLite does not do itself. They come in as an argument, so that a test can record
 * them and cut the power after any of them.
 */
export interface Files {
  /** Makes a folder; one that is there already is fine. Not durable before `syncFolder` of the folder around it. */
  makeFolder(path: string): void;
  /** Writes a new file whole and syncs its bytes. Its name is durable after `syncFolder`. */
  writeSynced(path: string, bytes: Uint8Array): void;
  rename(from: string, to: string): void;
  syncFolder(path: string): void;
  /** `undefined` where there is none. */
  read(path: string): Uint8Array | undefined;
}

export const nodeFiles: Files = {
  makeFolder(path) {
    mkdirSync(path, { recursive: true });
  },
  writeSynced(path, bytes) {
    const file = openSync(path, 'wx', 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  },
  rename: renameSync,
  syncFolder(path) {
    // Windows cannot open folders; NTFS journals their changes itself.
    if (process.platform === 'win32') return;
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  },
  read(path) {
    try {
      return readFileSync(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  },
};

/** Makes a folder and syncs the chain of folders that name it. */
export function makeDurableFolder({ files, path }: { readonly files: Files; readonly path: string }): void {
  files.makeFolder(path);
  files.syncFolder(dirname(path));
}
