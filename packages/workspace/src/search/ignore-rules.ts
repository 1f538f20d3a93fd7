import { lstatSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readRegular } from './regular.ts';

/** The rules of one `.gitignore`. */
export interface IgnoreScope {
  /** The part of a path before what the rules are about; negative depths are folders above the root. */
  readonly folder: string;
  /** Put before a path, for rules of a folder above the root. */
  readonly prefix: string;
  readonly rules: Ignore;
}

/** The rules that a folder of the workspace adds; none where it has no `.gitignore`. */
export function scopeOf({ root, folder }: { readonly root: string; readonly folder: string }): IgnoreScope[] {
  return scopeFrom({ file: join(root, folder, '.gitignore'), folder, prefix: '' });
}

function scopeFrom(of: { readonly file: string; readonly folder: string; readonly prefix: string }): IgnoreScope[] {
  const text = readRegular({ file: of.file, most: 1_000_000 })?.toString('utf8');
  return text === undefined ? [] : [{ folder: of.folder, prefix: of.prefix, rules: ignore().add(text) }];
}

/** The rules of folders above the root, up to the top of its git repository, with the repository's own. */
export function scopesAbove(root: string): IgnoreScope[] {
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
export function isIgnored({
  path,
  scopes,
}: {
  readonly path: string;
  readonly scopes: readonly IgnoreScope[];
}): boolean {
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
