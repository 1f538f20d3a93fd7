import { type Dirent, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isGuardedFile, isSecretFile } from '../permissions/secret-files.ts';

/** Paths that a sandbox hides or write-protects inside readable or writable folders. */
export interface ProtectedPaths {
  /** Files with secrets; they appear empty. */
  readonly hiddenFiles: readonly string[];
  /** Folders with secrets or with sockets of outside programs; they appear empty. */
  readonly hiddenFolders: readonly string[];
  readonly readOnly: readonly string[];
  /** Parts of the repository outside the workspace, for linked worktrees. */
  readonly repository: readonly string[];
}

/** Limit, since the scan delays every command. Paths close to the root come first. */
const mostEntries = 5000;
const skipped = new Set(['node_modules', 'dist', 'build', 'target', 'vendor', '.venv', 'venv', '__pycache__', '.next']);

const homeFolders = [
  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.config/gh', '.config/gcloud', '.config/op', '.config/longhaul'],
  ...['.docker/run', '.colima', '.orbstack/run', '.password-store', '.local/share/keyrings', 'Library/Keychains'],
];
const homeFiles = [
  ...['.netrc', '.npmrc', '.pypirc', '.pgpass', '.git-credentials', '.versions-token', '.docker/config.json'],
  ...['.cargo/credentials', '.cargo/credentials.toml', '.config/hub', '.bash_history', '.zsh_history'],
];

/**
 * Finds paths to hide or write-protect: files with secrets in the workspace and the home folder, hooks and settings of
 * git, settings of Longhaul.
 */
export function protectedPaths({ root, home }: { readonly root: string; readonly home: string }): ProtectedPaths {
  const found = inWorkspace(root);
  const { repository, readOnly } = worktree(root);
  return {
    hiddenFiles: [...homeFiles.map((name) => join(home, name)).filter(isFile), ...found.secrets].map(real),
    hiddenFolders: homeFolders
      .map((name) => join(home, name))
      .filter(isFolder)
      .map(real),
    readOnly: [...found.readOnly, ...readOnly],
    repository,
  };
}

function inWorkspace(root: string): { readonly secrets: string[]; readonly readOnly: string[] } {
  const [secrets, readOnly]: [string[], string[]] = [[], []];
  const folders = [root];
  let entries = 0;
  for (let next = folders.shift(); next !== undefined && entries < mostEntries; next = folders.shift()) {
    for (const entry of entriesOf(next)) {
      entries += 1;
      const path = join(next, entry.name);
      if (entry.name === '.git') readOnly.push(...gitFiles(path));
      else if (entry.isDirectory()) {
        if (!skipped.has(entry.name)) folders.push(path);
      } else if (isSecretFile(path)) secrets.push(path);
      else if (isGuardedFile(path) && entry.isFile()) readOnly.push(path);
    }
  }
  return { secrets: secrets.filter(isFile), readOnly };
}

/** Files that control what git runs. A missing hooks folder is created so that it cannot be added later. */
function gitFiles(folder: string): string[] {
  if (!isFolder(folder) || !existsSync(join(folder, 'HEAD'))) return isFile(folder) ? [folder] : [];
  const hooks = join(folder, 'hooks');
  try {
    mkdirSync(hooks, { recursive: true });
  } catch {
    // A read-only repository needs no protection.
  }
  return [hooks, join(folder, 'config'), join(folder, 'config.worktree')].filter((path) => existsSync(path));
}

/**
 * The repository of a linked worktree, if it confirms the worktree: a `.git` file alone must not make another folder
 * writable.
 */
function worktree(root: string): Pick<ProtectedPaths, 'repository' | 'readOnly'> {
  const link = join(root, '.git');
  const own = /^gitdir: (.+)$/m.exec(textOf(link))?.[1];
  if (own === undefined) return { repository: [], readOnly: [] };
  const folder = resolve(root, own);
  const common = dirname(dirname(folder));
  const isConfirmed =
    dirname(folder) === join(common, 'worktrees') && resolve(folder, textOf(join(folder, 'gitdir')).trim()) === link;
  if (!isConfirmed || !existsSync(join(common, 'HEAD'))) return { repository: [], readOnly: [] };
  return { repository: [common], readOnly: gitFiles(common) };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function real(path: string): string {
  return realpathSync.native(path);
}
