import { realpathSync } from 'node:fs';
import { listFile } from '../search/files.ts';
import { readText } from '../search/regular.ts';
import type { ReadFile } from './language-context.ts';

const mostRemembered = 200;

/**
 * Reads files of a workspace for completions: never outside of the root, and none that rules leave out. What is open in an
 * editor comes from there.
 */
export function workspaceReader({
  root,
  open = new Map(),
}: {
  readonly root: string;
  readonly open?: ReadonlyMap<string, string>;
}): ReadFile {
  const real = realpathSync(root);
  const known = new Map<string, { readonly mtime: number; readonly size: number; readonly text: string | undefined }>();
  return async (path) => {
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
  };
}
