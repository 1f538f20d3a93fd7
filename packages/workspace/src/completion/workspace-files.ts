import { realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { listFile } from '../search/files.ts';
import { readText } from '../search/regular.ts';

/** The files of a workspace, as completions see them. */
export interface WorkspaceFiles {
  /** The text of a file, from the editor where it is open; `undefined` for what is not there or not to be read. */
  read(path: string): Promise<string | undefined>;
  /** The folder of a package that is part of the workspace, from the root; `undefined` for other packages. */
  packageFolder(name: string): string | undefined;
}

const mostRemembered = 200;

/**
 * Reads files of a workspace for completions: never outside of the root, and none that rules leave out. What is open in an
 * editor comes from there.
 */
export function openWorkspaceFiles({
  root,
  open = new Map(),
}: {
  readonly root: string;
  readonly open?: ReadonlyMap<string, string>;
}): WorkspaceFiles {
  const real = realpathSync(root);
  const known = new Map<string, { readonly mtime: number; readonly size: number; readonly text: string | undefined }>();
  return { read, packageFolder };

  async function read(path: string): Promise<string | undefined> {
    const shown = open.get(path);
    if (shown !== undefined) return shown;
    const file = listFile({ root: real, path });
    if (!file) return undefined;
    const before = known.get(path);
    if (before && before.mtime === file.mtime && before.size === file.size) return before.text;
    const text = readText({ root: real, path });
    known.delete(path);
    known.set(path, { mtime: file.mtime, size: file.size, text });
    const [oldest] = known.keys();
    if (known.size > mostRemembered && oldest !== undefined) known.delete(oldest);
    return text;
  }

  /** Package managers link packages of the workspace into `node_modules`. */
  function packageFolder(name: string): string | undefined {
    if (!/^(?:@[\w.-]+\/)?[\w-][\w.-]*$/.test(name)) return undefined;
    try {
      const folder = relative(real, realpathSync(join(real, 'node_modules', name))).split(sep);
      return folder[0] === '..' || folder.includes('node_modules') ? undefined : folder.join('/');
    } catch {
      return undefined;
    }
  }
}
