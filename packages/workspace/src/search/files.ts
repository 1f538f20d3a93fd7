import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type Ignore, noIgnore } from '../ignore/index.ts';
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
  readonly ignored: Ignore;
}

/** The top of a listing. */
export function topFolder({ root }: Pick<Listing, 'root'>): ListedFolder {
  return { path: '', ignored: rulesAbove(root) };
}

/** The entries of a folder that rules leave, by name. No link is followed, so nothing outside of the root is reached. */
export function entriesOf(of: { readonly root: string; readonly folder: ListedFolder; readonly denied: Ignore }): {
  readonly folders: ListedFolder[];
  readonly files: string[];
} {
  const { root, folder, denied } = of;
  const entries = read(join(root, folder.path));
  const hasRules = entries.some(({ name }) => name === '.gitignore');
  const ignored = hasRules ? withRulesOf({ ...folder, root }) : folder.ignored;
  const [folders, files]: [ListedFolder[], string[]] = [[], []];
  for (const entry of entries) {
    const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
    const isSkipped = (isFolder: boolean) => isExcluded({ root, path, isFolder, ignored, denied });
    if (entry.isDirectory()) {
      if (!isSkippedFolder(entry.name) && !isSkipped(true)) folders.push({ path, ignored });
    } else if (entry.isFile() && !isSkippedFile(entry.name) && !isSkipped(false)) files.push(path);
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

/** Patterns of `.gitignore` for paths below a root, as a matcher. */
export function deniedBy({ root, deny = [] }: Listing): Ignore {
  return noIgnore.with({ folder: slashed(root), text: deny.join('\n'), isCaseless: true });
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
  const denied = deniedBy({ root, ...(deny && { deny }) });
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
    const ignored = withRulesOf({ ...folder, root });
    if (isExcluded({ root, path: inside, isFolder: true, ignored, denied })) return undefined;
    if (!lookAt(join(root, inside))?.isDirectory()) return undefined;
    folder = { path: inside, ignored };
  }
  return folder;
}

/** A single file as `listFiles` would give it; `undefined` where it is left out. Every folder above it is looked at. */
export function listFile({ root, path, deny }: Listing & { readonly path: string }): WorkspaceFile | undefined {
  const denied = deniedBy({ root, ...(deny && { deny }) });
  const at = path.lastIndexOf('/');
  const name = path.slice(at + 1);
  const folder = at < 0 ? topFolder({ root }) : folderAt({ root, path: path.slice(0, at), denied });
  if (!folder || name === '' || name === '.' || name === '..' || isSkippedFile(name)) return undefined;
  const ignored = withRulesOf({ ...folder, root });
  if (isExcluded({ root, path, isFolder: false, ignored, denied })) return undefined;
  return statOf({ root, path });
}

function isExcluded(of: {
  readonly root: string;
  readonly path: string;
  readonly isFolder: boolean;
  readonly ignored: Ignore;
  readonly denied: Ignore;
}): boolean {
  const item = { path: slashed(join(of.root, of.path)), isFolder: of.isFolder };
  return of.ignored.ignores(item) || of.denied.ignores(item);
}

/** The rules of a folder of the workspace, with those of its own `.gitignore`. */
function withRulesOf({ root, path, ignored }: ListedFolder & { readonly root: string }): Ignore {
  return withRulesIn({ file: join(root, path, '.gitignore'), folder: join(root, path), ignored });
}

function withRulesIn(of: { readonly file: string; readonly folder: string; readonly ignored: Ignore }): Ignore {
  const text = readRegular({ file: of.file, most: 1_000_000 })?.toString('utf8');
  return text === undefined ? of.ignored : of.ignored.with({ folder: slashed(of.folder), text, isCaseless: true });
}

function slashed(path: string): string {
  return sep === '/' ? path : path.replaceAll(sep, '/');
}

/** The rules of folders above the root, up to the top of its git repository, with the repository's own. */
function rulesAbove(root: string): Ignore {
  const folders: string[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    folders.unshift(folder);
    const isTop = lstatSync(join(folder, '.git'), { throwIfNoEntry: false }) !== undefined;
    if (isTop) break;
    // Not in a repository: what is above the root does not concern it.
    if (dirname(folder) === folder) return noIgnore;
  }
  return folders.reduce((ignored, folder, index) => {
    const excluded = index === 0 ? withRulesIn({ file: join(folder, '.git/info/exclude'), folder, ignored }) : ignored;
    // The rules of the root itself are read with its entries.
    return folder === root ? excluded : withRulesIn({ file: join(folder, '.gitignore'), folder, ignored: excluded });
  }, noIgnore);
}
