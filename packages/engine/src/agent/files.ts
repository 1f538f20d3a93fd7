import { readdir, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { openRegular } from '../regular-file.ts';

/** Read-only access to the files that make up an agent's head. */
export interface HeadFiles {
  /** `undefined` if the file cannot be read. */
  text(path: string): Promise<string | undefined>;
  /** The path without links and `..`; `undefined` if it does not exist. */
  real(path: string): Promise<string | undefined>;
  /** Sorted names in a folder; empty if the folder does not exist. */
  names(folder: string): Promise<readonly string[]>;
}

/** Larger files are not used in a prompt. Bytes. */
const largest = 1_000_000;

export const diskFiles: HeadFiles = {
  async text(path) {
    try {
      const file = await openRegular(path);
      try {
        return (await file.stat()).size > largest ? undefined : await file.readFile('utf8');
      } finally {
        await file.close();
      }
    } catch {
      return undefined;
    }
  },
  real: async (path) => await realpath(path).catch(() => undefined),
  names: async (folder) => (await readdir(folder).catch(() => [])).sort(),
};

/** Whether a real path is a real folder or inside it. */
export function isInside({ path, folder }: { readonly path: string; readonly folder: string }): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
