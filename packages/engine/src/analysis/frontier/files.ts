import { pathKey, resolvePath } from '../calls/paths.ts';
import { bounds, type FileFact } from './frontier.ts';
import type { PendingChange } from './pending.ts';

/** The files of a session by key, the last touched at the end. */
export type FileMap = Map<string, FileFact>;

export function fileMap({
  files,
  root,
}: {
  readonly files: readonly FileFact[];
  readonly root: string | undefined;
}): FileMap {
  return new Map(files.map((file) => [pathKey({ path: file.path, root }), file]));
}

/** Makes all files relative to the root, once it is known. */
export function rebase({ files, root }: { readonly files: FileMap; readonly root: string }): void {
  const all = [...files.values()];
  files.clear();
  for (const file of all) {
    const key = pathKey({ path: file.path, root });
    files.set(key, { ...files.get(key), ...file, path: shownPath({ path: file.path, root }) });
  }
}

/** Records that a file was read; with a hash only if the result was the whole file. */
export function noteRead({
  files,
  path,
  root,
  handle,
  hash,
}: {
  readonly files: FileMap;
  readonly path: string;
  readonly root: string | undefined;
  readonly handle: number;
  readonly hash: string | undefined;
}): void {
  const key = pathKey({ path, root });
  const known = files.get(key);
  const { isDeleted: _, ...kept } = known ?? { path: shownPath({ path, root }) };
  touch({ files, key, file: { ...kept, read: handle, ...(hash !== undefined && { hash }) } });
}

/** Records that a file was changed. Its hash is known only if it was written completely. */
export function noteChange({
  files,
  change,
  root,
  handle,
}: {
  readonly files: FileMap;
  readonly change: PendingChange;
  readonly root: string | undefined;
  readonly handle: number;
}): void {
  const key = pathKey({ path: change.path, root });
  const {
    hash: _hash,
    isDeleted: _deleted,
    ...kept
  } = files.get(key) ?? { path: shownPath({ path: change.path, root }) };
  const file: FileFact = {
    ...kept,
    changed: handle,
    ...(change.op === 'delete' && { isDeleted: true as const }),
    ...(change.hash !== undefined && { hash: change.hash }),
  };
  touch({ files, key, file });
}

/** Drops the oldest files over the bound: read files before changed ones. */
export function trimFiles(files: FileMap): number {
  const excess = files.size - bounds.files;
  if (excess <= 0) return 0;
  const [read, changed] = [[], []] as [string[], string[]];
  for (const [key, file] of files) (file.changed === undefined ? read : changed).push(key);
  for (const key of [...read, ...changed].slice(0, excess)) files.delete(key);
  return excess;
}

function touch({ files, key, file }: { readonly files: FileMap; readonly key: string; readonly file: FileFact }): void {
  files.delete(key);
  files.set(key, file);
}

/** Inside the project, the relative path in its original spelling. */
function shownPath({ path, root }: { readonly path: string; readonly root: string | undefined }): string {
  const whole = resolvePath({ path });
  const { length } = pathKey({ path, root });
  return length < whole.length ? whole.slice(-length) : whole;
}
