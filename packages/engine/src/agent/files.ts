import { readdir, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { openRegular } from '../regular-file.ts';

/** The files that an agent's head is made of, read only. */
export interface Files {
  /** `undefined` where there is no file that can be read. */
  text(path: string): Promise<string | undefined>;
  /** Without links and `..`; `undefined` where nothing is there. */
  real(path: string): Promise<string | undefined>;
  /** The names in a folder, sorted; none where there is none. */
  names(folder: string): Promise<readonly string[]>;
}

/** A file that is larger is no text for a prompt. Bytes. */
const largest = 1_000_000;

export const diskFiles: Files = {
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

/** Whether a real path lies in a real folder, or is it. */
export function isInside({ path, folder }: { readonly path: string; readonly folder: string }): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
