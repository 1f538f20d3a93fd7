import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { isObject, parseJson } from '../json.ts';
import type { SessionHeader } from '../session/index.ts';
import type { BoardState } from './board.ts';
import type { MemoryEntry } from './entry.ts';

/** The repository that a folder is in. */
export interface Repository {
  /** The same for all worktrees: the root of the main one, or the folder itself without a repository. */
  readonly id: string;
  /** The root of the worktree. */
  readonly root: string;
  /** The current branch; absent on the default branch and without one. */
  readonly branch?: string;
  /** The default branch. */
  readonly base?: string;
}

/** Maximum number of parent folders. */
const maxFolders = 64;

/**
 * The repository of a folder, read from its files without running git.
 *
 * @example
 * const { id, branch } = repositoryOf({ folder: process.cwd() });
 */
export function repositoryOf({ folder }: { readonly folder: string }): Repository {
  let root = resolve(folder);
  for (let depth = 0; depth < maxFolders; depth += 1, root = dirname(root)) {
    const git = gitFolders(root);
    if (git) return describe({ root, ...git });
    if (root === dirname(root)) break;
  }
  return { id: resolve(folder), root: resolve(folder) };
}

/** The git folder of a worktree, and the one that all worktrees share. */
function gitFolders(root: string): { readonly own: string; readonly shared: string } | undefined {
  const path = join(root, '.git');
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return undefined;
  if (found.isDirectory()) return { own: path, shared: path };
  const target = /^gitdir: (.+)/.exec(textOf(path) ?? '')?.[1];
  if (target === undefined) return undefined;
  const own = resolve(root, target.trim());
  return { own, shared: resolve(own, (textOf(join(own, 'commondir')) ?? '.').trim()) };
}

function describe({
  root,
  own,
  shared,
}: {
  readonly root: string;
  readonly own: string;
  readonly shared: string;
}): Repository {
  const head = branchIn(textOf(join(own, 'HEAD')));
  const remote = /refs\/remotes\/origin\/(.+)/
    .exec(textOf(join(shared, 'refs/remotes/origin/HEAD')) ?? '')?.[1]
    ?.trim();
  const base = remote ?? ['main', 'master', 'trunk'].find((name) => hasBranch({ shared, name }));
  const id = shared.endsWith('.git') && !shared.includes('/modules/') ? dirname(shared) : root;
  return {
    id,
    root,
    ...(head !== undefined && head !== base && { branch: head }),
    ...(base !== undefined && { base }),
  };
}

function branchIn(head: string | undefined): string | undefined {
  return /^ref: refs\/heads\/(.+)/.exec(head ?? '')?.[1]?.trim();
}

function hasBranch({ shared, name }: { readonly shared: string; readonly name: string }): boolean {
  if (existsSync(join(shared, 'refs/heads', name))) return true;
  return (textOf(join(shared, 'packed-refs')) ?? '').includes(` refs/heads/${name}\n`);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * The branches that are merged into the default branch; empty if git is not available.
 *
 * @example
 * const merged = await mergedBranches({ root: '/home/me/project', base: 'main' });
 */
export async function mergedBranches({
  root,
  base,
}: {
  readonly root: string;
  readonly base: string;
}): Promise<ReadonlySet<string>> {
  try {
    const args = ['for-each-ref', '--format=%(refname:short)', `--merged=refs/heads/${base}`, 'refs/heads/'];
    const { stdout } = await promisify(execFile)('git', args, { cwd: root, timeout: 5_000 });
    return new Set(stdout.split('\n').filter((name) => name !== '' && name !== base));
  } catch {
    return new Set();
  }
}

/**
 * The branch that an imported session was on, as its agent recorded it.
 *
 * @example
 * branchOfSession({ details: { codex: { git: { branch: 'topic' } } } }); // 'topic'
 */
export function branchOfSession({ details }: Pick<SessionHeader, 'details'>): string | undefined {
  const of = (agent: string) => (isObject(details?.[agent]) ? details[agent] : {});
  const { git } = of('codex');
  const { context } = of('copilot');
  const named = [
    of('claude-code').gitBranch,
    isObject(git) ? git.branch : undefined,
    isObject(context) ? context.branch : undefined,
    of('longhaul').branch,
    of('gateway').branch,
  ];
  return named.find((name): name is string => typeof name === 'string' && name !== '' && name !== 'HEAD');
}

/**
 * Marks entries whose file or script no longer exists, and unmarks those that do again.
 *
 * @example
 * const change = await consolidate({ memory, sessions: [], check: staleCheck({ root: '/home/me/project' }) });
 */
export function staleCheck({ root }: { readonly root: string }): (state: BoardState) => BoardState {
  const scripts = scriptsIn(root);
  return (state) => ({
    ...state,
    entries: state.entries.map((entry): MemoryEntry => {
      const { stale, ...rest } = entry;
      const reason = staleReason({ entry, root, scripts });
      if (reason === stale) return entry;
      return reason === undefined ? rest : { ...rest, stale: reason };
    }),
  });
}

function staleReason(of: {
  readonly entry: MemoryEntry;
  readonly root: string;
  readonly scripts: ReadonlySet<string> | undefined;
}): string | undefined {
  const { file, command } = of.entry.subject ?? {};
  if (file !== undefined) {
    const isThere = lstatSync(resolve(of.root, file), { throwIfNoEntry: false }) !== undefined;
    return isThere ? undefined : `${file} no longer exists`;
  }
  const script = /^(?:npm|pnpm|yarn|bun) run ([\w:.-]+)$/.exec(command ?? '')?.[1];
  if (script === undefined || !of.scripts || of.scripts.has(script)) return undefined;
  return `no package.json here has a script ${script}`;
}

/** Folders whose packages are looked at; more are not known to lack a script. */
const maxPackages = 300;

/** The scripts of all packages of a repository; `undefined` if there are none or too many to look at. */
function scriptsIn(root: string): ReadonlySet<string> | undefined {
  const inside = foldersIn(root);
  const folders = [root, ...inside, ...inside.flatMap(foldersIn)];
  if (folders.length > maxPackages) return undefined;
  const manifests = folders.map((folder) => parseJson(textOf(join(folder, 'package.json')) ?? ''));
  const scripts = manifests.flatMap((one) => (isObject(one) && isObject(one.scripts) ? Object.keys(one.scripts) : []));
  return scripts.length === 0 ? undefined : new Set(scripts);
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name))
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}
