import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readRegular } from './regular.ts';
import { isSkippedFile, isSkippedFolder, largestFile } from './skipped.ts';

/** A file of the workspace that may be indexed. */
export interface WorkspaceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

/** What is listed: everything below a real path, less what the rules leave out. */
export interface Listing {
  /** Absolute and real: no part of it is a link. */
  readonly root: string;
  /** Further files to leave out, as patterns of `.gitignore`. */
  readonly deny?: readonly string[];
}

const mostFiles = 100_000;

/** A folder with the rules that hold in it. */
export interface ListedFolder {
  readonly path: string;
  readonly scopes: readonly IgnoreScope[];
}

/** The top of a listing. */
export function topFolder({ root }: Pick<Listing, 'root'>): ListedFolder {
  return { path: '', scopes: scopesAbove(root) };
}

/** The entries of a folder that rules leave, by name. No link is followed, so nothing outside of the root is reached. */
export function entriesOf(of: { readonly root: string; readonly folder: ListedFolder; readonly denied: Ignore }): {
  readonly folders: ListedFolder[];
  readonly files: string[];
} {
  const { root, folder, denied } = of;
  const entries = read(join(root, folder.path));
  const own = entries.some(({ name }) => name === '.gitignore') ? scopeOf({ root, folder: folder.path }) : [];
  const scopes = own.length > 0 ? [...folder.scopes, ...own] : folder.scopes;
  const [folders, files]: [ListedFolder[], string[]] = [[], []];
  for (const entry of entries) {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    if (entry.isDirectory()) {
      const isLeft = !isSkippedFolder(entry.name) && !isIgnored({ path: `${path}/`, scopes });
      if (isLeft && !denied.ignores(`${path}/`)) folders.push({ path, scopes });
    } else if (entry.isFile() && !isSkippedFile(entry.name) && !isIgnored({ path, scopes }) && !denied.ignores(path)) {
      files.push(path);
    }
  }
  return { folders, files };
}

function read(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // A folder that cannot be read has nothing to find.
    return [];
  }
}

/** Patterns of `.gitignore` as a matcher. */
export function deniedBy(patterns: readonly string[] = []): Ignore {
  return ignore().add([...patterns]);
}

/**
 * All files below a folder that code search looks at: not what `.gitignore` files name, not dependencies, build output,
 * binaries, lock files or credentials.
 *
 * @example
 * const { files, isComplete } = listFiles({ root: realpathSync(process.cwd()) });
 */
export function listFiles({
  root,
  deny,
  below = '',
  isShallow = false,
}: Listing & {
  /** Only what is in this folder. */
  readonly below?: string;
  /** Only what is directly in it. */
  readonly isShallow?: boolean;
}): { readonly files: WorkspaceFile[]; readonly folders: string[]; readonly isComplete: boolean } {
  const [files, folders]: [WorkspaceFile[], string[]] = [[], []];
  const denied = deniedBy(deny);
  const start = below === '' ? topFolder({ root }) : folderAt({ root, path: below, denied });
  const open = start ? [start] : [];
  for (let folder = open.pop(); folder; folder = open.pop()) {
    folders.push(folder.path);
    const entries = entriesOf({ root, folder, denied });
    if (!isShallow) open.push(...entries.folders);
    for (const path of entries.files) {
      const file = statOf({ root, path });
      if (file) files.push(file);
      if (files.length >= mostFiles) return { files: files.sort(byPath), folders, isComplete: false };
    }
  }
  return { files: files.sort(byPath), folders, isComplete: true };
}

function byPath(a: WorkspaceFile, b: WorkspaceFile): number {
  return a.path < b.path ? -1 : 1;
}

function statOf({ root, path }: { readonly root: string; readonly path: string }): WorkspaceFile | undefined {
  const stats = lookAt(`${root}/${path}`);
  if (!stats?.isFile() || stats.size === 0 || stats.size > largestFile) return undefined;
  return { path, size: stats.size, mtime: stats.mtimeMs };
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A folder as a listing reaches it from the root; `undefined` where rules leave it out or it is none. */
function folderAt(of: {
  readonly root: string;
  readonly path: string;
  readonly denied: Ignore;
}): ListedFolder | undefined {
  const { root, path, denied } = of;
  let folder = topFolder({ root });
  const names = path.split('/');
  for (const [depth, name] of names.entries()) {
    if (name === '' || name === '.' || name === '..' || isSkippedFolder(name)) return undefined;
    const inside = names.slice(0, depth + 1).join('/');
    const scopes = [...folder.scopes, ...scopeOf({ root, folder: folder.path })];
    if (isIgnored({ path: `${inside}/`, scopes }) || denied.ignores(`${inside}/`)) return undefined;
    if (!lookAt(join(root, inside))?.isDirectory()) return undefined;
    folder = { path: inside, scopes };
  }
  return folder;
}

/** A single file as `listFiles` would give it; `undefined` where it is left out. Every folder above it is looked at. */
export function listFile({ root, path, deny }: Listing & { readonly path: string }): WorkspaceFile | undefined {
  const denied = deniedBy(deny);
  const at = path.lastIndexOf('/');
  const name = path.slice(at + 1);
  const folder = at < 0 ? topFolder({ root }) : folderAt({ root, path: path.slice(0, at), denied });
  if (!folder || name === '' || name === '.' || name === '..' || isSkippedFile(name)) return undefined;
  const scopes = [...folder.scopes, ...scopeOf({ root, folder: folder.path })];
  if (isIgnored({ path, scopes }) || denied.ignores(path)) return undefined;
  return statOf({ root, path });
}

/** The rules of one `.gitignore`. */
interface IgnoreScope {
  /** The part of a path before what the rules are about; negative depths are folders above the root. */
  readonly folder: string;
  /** Put before a path, for rules of a folder above the root. */
  readonly prefix: string;
  readonly rules: Ignore;
}

/** The rules that a folder of the workspace adds; none where it has no `.gitignore`. */
function scopeOf({ root, folder }: { readonly root: string; readonly folder: string }): IgnoreScope[] {
  return scopeFrom({ file: join(root, folder, '.gitignore'), folder, prefix: '' });
}

function scopeFrom(of: { readonly file: string; readonly folder: string; readonly prefix: string }): IgnoreScope[] {
  const text = readRegular({ file: of.file, most: 1_000_000 })?.toString('utf8');
  return text === undefined ? [] : [{ folder: of.folder, prefix: of.prefix, rules: ignore().add(text) }];
}

/** The rules of folders above the root, up to the top of its git repository, with the repository's own. */
function scopesAbove(root: string): IgnoreScope[] {
  const folders: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    folders.unshift(folder);
    const isTop = lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
    if (isTop) break;
    // Not in a repository: what is above the root does not concern it.
    if (dirname(folder) === folder) return [];
  }
  return folders.flatMap((folder, index) => {
    const inside = relative(folder, root).split(sep).join('/');
    const prefix = inside === '' ? '' : `${inside}/`;
    const own = index === 0 ? scopeFrom({ file: join(folder, '.git/info/exclude'), folder: '', prefix }) : [];
    // That of the root itself is read with its entries.
    return folder === root ? own : [...own, ...scopeFrom({ file: join(folder, '.gitignore'), folder: '', prefix })];
  });
}

/** The innermost `.gitignore` that says something about a path decides. A folder's path ends with a slash. */
function isIgnored({ path, scopes }: { readonly path: string; readonly scopes: readonly IgnoreScope[] }): boolean {
  for (let index = scopes.length - 1; index >= 0; index -= 1) {
    const scope = scopes[index];
    if (!scope) continue;
    const inside = scope.folder === '' ? `${scope.prefix}${path}` : path.slice(scope.folder.length + 1);
    const { ignored, unignored } = scope.rules.test(inside);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}
