import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { StoreFiles } from './files.ts';
import type { StoreLayout } from './layout.ts';

let counter = 0;

/** Moves damaged files into a folder of their own, from which nothing is ever read or removed. Returns that folder. */
export function setAside({
  layout,
  files,
  paths,
}: {
  readonly layout: StoreLayout;
  readonly files: StoreFiles;
  readonly paths: readonly string[];
}): string {
  const folder = newFolder(layout);
  for (const path of paths) if (existsSync(path)) files.rename(path, join(folder, basename(path)));
  for (const changed of [folder, layout.setAside, layout.dir]) files.syncFolder(changed);
  return folder;
}

/** A new folder with a unique name. */
export function newFolder(layout: StoreLayout): string {
  mkdirSync(layout.setAside, { recursive: true, mode: 0o700 });
  for (;;) {
    counter += 1;
    const day = new Date().toISOString().slice(0, 19).replace(/[:T]/g, '-');
    const folder = join(layout.setAside, `${day}-${process.pid}-${counter}`);
    try {
      mkdirSync(folder, { mode: 0o700 });
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** A database with its WAL and shared-memory files. */
export function databaseFiles(path: string): string[] {
  return [path, `${path}-wal`, `${path}-shm`];
}
