import {
  closeSync,
  type Dirent,
  constants as fsConstants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** A file of the workspace that may be indexed. */
export interface WorkspaceFile {
  /** From the root, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

/** Limits on what is indexed. */
const largestFile = 1_500_000;
const mostFiles = 100_000;

const skippedFolders = new Set(
  (
    '.git .hg .svn node_modules bower_components jspm_packages out dist target coverage .next .nuxt .svelte-kit .turbo ' +
    '.cache .parcel-cache .gradle .idea .vs .vscode-test venv .venv __pycache__ .tox .mypy_cache .pytest_cache .ruff_cache ' +
    '.terraform .longhaul Pods DerivedData .output .yarn .pnpm-store elm-stuff _build'
  ).split(' '),
);

const skippedNames = new Set(
  'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb composer.lock Gemfile.lock Cargo.lock poetry.lock uv.lock Pipfile.lock go.sum flake.lock .DS_Store thumbs.db'.split(
    ' ',
  ),
);

const skippedExtension = new RegExp(
  `\\.(?:${[
    'jpe?g png gif bmp tiff? ico webp avif svg psd ai heic mp[34] wav ogg flac aac avi mov mkv webm m4[av]',
    'zip gz tgz bz2 xz zst 7z rar tar jar war ear apk ipa dmg iso deb rpm',
    'exe dll so dylib a o obj lib class pyc pyo wasm bin dat db sqlite3? mdb pack idx node',
    'pdf docx? xlsx? pptx? odt ttf otf woff2? eot map log lock snap',
    'pem key crt cer der p12 pfx keystore jks asc gpg min\\.js min\\.css bundle\\.js tsbuildinfo onnx pb h5 npz npy parquet',
  ]
    .join(' ')
    .split(' ')
    .join('|')})$`,
  'i',
);

/** What holds secrets is never indexed, whatever it contains. */
const secretName =
  /^(?:\.env(?:\..*)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|credentials(?:\.json)?|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:tfstate|tfvars|kdbx))$/i;
const secretFolders = new Set(['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.docker', 'secrets']);

/**
 * All files below a folder that code search looks at: not what `.gitignore` files name, not dependencies, build output,
 * binaries, lock files or secrets; no link is followed, so nothing outside of the root is ever reached.
 *
 * @example
 * const { files, isComplete } = listFiles({ root: process.cwd() });
 */
export function listFiles({
  root,
  deny = [],
}: {
  readonly root: string;
  /** Further files to leave out, as patterns of `.gitignore`. */
  readonly deny?: readonly string[];
}): { readonly files: WorkspaceFile[]; readonly isComplete: boolean } {
  const files: WorkspaceFile[] = [];
  const folders: { readonly path: string; readonly rules: readonly Scope[] }[] = [{ path: '', rules: [] }];
  const denied = ignore().add([...deny]);
  for (let folder = folders.pop(); folder; folder = folders.pop()) {
    const absolute = join(root, folder.path);
    const entries = entriesOf(absolute);
    const rules = entries.some(({ name }) => name === '.gitignore')
      ? [...folder.rules, scopeOf({ folder: folder.path, file: join(absolute, '.gitignore') })]
      : folder.rules;
    for (const entry of entries) {
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      if (entry.isDirectory()) {
        const isSkipped = skippedFolders.has(entry.name) || secretFolders.has(entry.name);
        if (!isSkipped && !isIgnored({ path: `${path}/`, rules })) folders.push({ path, rules });
      } else if (entry.isFile() && isCandidate(entry.name) && !isIgnored({ path, rules }) && !denied.ignores(path)) {
        const stats = statOf(join(root, path));
        if (stats && stats.size > 0 && stats.size <= largestFile) files.push({ path, ...stats });
        if (files.length >= mostFiles) return { files: files.sort(byPath), isComplete: false };
      }
    }
  }
  return { files: files.sort(byPath), isComplete: true };
}

function byPath(a: WorkspaceFile, b: WorkspaceFile): number {
  return a.path < b.path ? -1 : 1;
}

/** Whether a file may be indexed by its name alone. */
function isCandidate(name: string): boolean {
  return !skippedNames.has(name) && !skippedExtension.test(name) && !secretName.test(name);
}

interface Scope {
  readonly folder: string;
  readonly rules: Ignore;
}

function scopeOf({ folder, file }: { readonly folder: string; readonly file: string }): Scope {
  const text = readRegular({ file, most: 1_000_000 });
  return { folder, rules: ignore().add(text?.toString('utf8') ?? '') };
}

/** The innermost `.gitignore` that says something about a path decides. */
function isIgnored({ path, rules }: { readonly path: string; readonly rules: readonly Scope[] }): boolean {
  for (let index = rules.length - 1; index >= 0; index -= 1) {
    const scope = rules[index];
    if (!scope) continue;
    const inside = scope.folder === '' ? path : path.slice(scope.folder.length + 1);
    const { ignored, unignored } = scope.rules.test(inside);
    if (ignored) return true;
    if (unignored) return false;
  }
  return false;
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that cannot be read has nothing to find.
    return [];
  }
}

function statOf(file: string): { readonly size: number; readonly mtime: number } | undefined {
  const open = openRegular(file);
  if (!open) return undefined;
  closeSync(open.descriptor);
  return { size: open.size, mtime: open.mtime };
}

/** Opens without following a link at the end of the path and without waiting for a FIFO. */
function openRegular(
  file: string,
): { readonly descriptor: number; readonly size: number; readonly mtime: number } | undefined {
  try {
    const flags = fsConstants.O_RDONLY | fsConstants.O_NONBLOCK | (fsConstants.O_NOFOLLOW ?? 0);
    const descriptor = openSync(file, flags);
    const stats = fstatSync(descriptor);
    if (stats.isFile()) return { descriptor, size: stats.size, mtime: stats.mtimeMs };
    closeSync(descriptor);
    return undefined;
  } catch {
    return undefined;
  }
}

function readRegular({ file, most }: { readonly file: string; readonly most: number }): Buffer | undefined {
  const open = openRegular(file);
  if (!open) return undefined;
  try {
    if (open.size > most) return undefined;
    return readFileSync(open.descriptor);
  } catch {
    return undefined;
  } finally {
    closeSync(open.descriptor);
  }
}

/** A single file as `listFiles` would give it; `undefined` where it is left out. Every folder above it is looked at. */
export function listFile({
  root,
  path,
  deny = [],
}: {
  readonly root: string;
  readonly path: string;
  readonly deny?: readonly string[];
}): WorkspaceFile | undefined {
  const names = path.split('/');
  const rules: Scope[] = [];
  for (let depth = 0; depth < names.length; depth += 1) {
    const folder = names.slice(0, depth).join('/');
    rules.push(scopeOf({ folder, file: join(root, folder, '.gitignore') }));
    const isLast = depth === names.length - 1;
    const name = names[depth] ?? '';
    const inside = names.slice(0, depth + 1).join('/');
    if (name === '' || name === '.' || name === '..') return undefined;
    if (isIgnored({ path: isLast ? inside : `${inside}/`, rules })) return undefined;
    if (isLast ? !isCandidate(name) : skippedFolders.has(name) || secretFolders.has(name)) return undefined;
    if (!isLast && !isRealFolder(join(root, inside))) return undefined;
  }
  if (
    ignore()
      .add([...deny])
      .ignores(path)
  )
    return undefined;
  const stats = statOf(join(root, path));
  return stats && stats.size > 0 && stats.size <= largestFile ? { path, ...stats } : undefined;
}

function isRealFolder(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The text of a file, unless it is binary, minified, too large or gone. */
export function readText(file: string): string | undefined {
  const bytes = readRegular({ file, most: largestFile });
  if (!bytes || bytes.subarray(0, 8_192).includes(0)) return undefined;
  const text = bytes.toString('utf8');
  return isMinified(text) ? undefined : text;
}

/** A line of over 10,000 characters, or lines of over 400 on average. */
function isMinified(text: string): boolean {
  let [lines, start] = [0, 0];
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > 10_000) return true;
    lines += 1;
    start = end + 1;
  }
  return text.length - start > 10_000 || (text.length > 4_000 && text.length > 400 * (lines + 1));
}
