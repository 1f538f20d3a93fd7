import * as fs from 'node:fs';

/** The calls to the operating system that matter when the power fails. */
export interface Primitives {
  mkdirSync(path: string): void;
  openSync(path: string, flags: string, mode?: number): number;
  writeSync(file: number, bytes: Uint8Array, offset: number): number;
  fsyncSync(file: number): void;
  closeSync(file: number): void;
  renameSync(from: string, to: string): void;
  readFileSync(path: string): Uint8Array;
}

/**
 * The few things done with files that SQLite does not do itself. They come in as an argument, so that a test can record
 * them and cut the power after any of them.
 */
export interface StoreFiles {
  /** Makes a folder; one that is there already is fine. Not durable before `syncFolder` of the folder around it. */
  makeFolder(path: string): void;
  /** Writes a new file whole and syncs its bytes. Its name is durable after `syncFolder`. */
  writeSynced(path: string, bytes: Uint8Array): void;
  rename(from: string, to: string): void;
  syncFolder(path: string): void;
  /** `undefined` where there is none. */
  read(path: string): Uint8Array | undefined;
}

export function createFiles(system: Primitives = node): StoreFiles {
  const synced = (path: string, flags: string, write: (file: number) => void): void => {
    const file = system.openSync(path, flags, 0o600);
    try {
      write(file);
      system.fsyncSync(file);
    } finally {
      system.closeSync(file);
    }
  };
  return {
    makeFolder: (path) => unless('EEXIST', () => system.mkdirSync(path)),
    writeSynced: (path, bytes) =>
      synced(path, 'wx', (file) => {
        for (let at = 0; at < bytes.length; ) at += system.writeSync(file, bytes, at);
      }),
    rename: system.renameSync,
    syncFolder(path) {
      // Windows cannot open folders; NTFS journals their changes itself.
      if (process.platform !== 'win32') synced(path, 'r', () => {});
    },
    read: (path) => unless('ENOENT', () => system.readFileSync(path)),
  };
}

const node: Primitives = {
  mkdirSync: (path) => fs.mkdirSync(path, { mode: 0o700 }),
  openSync: fs.openSync,
  writeSync: (file, bytes, offset) => fs.writeSync(file, bytes, offset),
  fsyncSync: fs.fsyncSync,
  closeSync: fs.closeSync,
  renameSync: fs.renameSync,
  readFileSync: (path) => fs.readFileSync(path),
};

function unless<T>(code: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return undefined;
    throw error;
  }
}
