import { execFile, spawnSync } from 'node:child_process';
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
 * Marks entries whose file, script or symbol no longer exists, and unmarks those that do again. With `symbols`, the files of
 * the repository are searched for the identifiers that entries name in backticks: one that was there before and is gone
 * marks its entry. Without it, such marks stay as they are.
 *
 * @example
 * const change = await consolidate({ memory, sessions: [], check: staleCheck({ root: '/home/me/project' }) });
 */
export function staleCheck({
  root,
  symbols = false,
}: {
  readonly root: string;
  readonly symbols?: boolean;
}): (state: BoardState) => BoardState {
  const scripts = scriptsIn(root);
  const targets = makeTargets(root);
  return (state) => {
    const named = new Map(state.entries.map((entry) => [entry.id, symbols ? symbolsIn(entry) : []]));
    const present = presentSymbols({ root, names: [...new Set([...named.values()].flat())] });
    return {
      ...state,
      entries: state.entries.map((entry): MemoryEntry => {
        const { stale, ...rest } = present ? withSymbol({ entry, named: named.get(entry.id) ?? [], present }) : entry;
        const reason = staleReason({ entry: rest, stale, root, scripts, targets, present });
        if (reason === entry.stale && rest.subject?.symbol === entry.subject?.symbol) return entry;
        return reason === undefined ? rest : { ...rest, stale: reason };
      }),
    };
  };
}

function staleReason(of: {
  readonly entry: MemoryEntry;
  readonly stale: string | undefined;
  readonly root: string;
  readonly scripts: ReadonlySet<string> | undefined;
  readonly targets: ReadonlySet<string> | undefined;
  readonly present: ReadonlySet<string> | undefined;
}): string | undefined {
  const { file, command = '', symbol } = of.entry.subject ?? {};
  if (file !== undefined) {
    const isThere = lstatSync(resolve(of.root, file), { throwIfNoEntry: false }) !== undefined;
    return isThere ? undefined : `${file} no longer exists`;
  }
  if (symbol !== undefined) {
    if (!of.present) return of.stale;
    return of.present.has(symbol) ? undefined : `no file names ${symbol} any more`;
  }
  const script = /^(?:npm|pnpm|yarn|bun) run ([\w:.-]+)$/.exec(command)?.[1];
  if (script !== undefined && of.scripts && !of.scripts.has(script))
    return `no package.json here has a script ${script}`;
  const target = /^make ([\w:.-]+)$/.exec(command)?.[1];
  if (target !== undefined && of.targets && !of.targets.has(target)) return `the Makefile has no target ${target}`;
  return undefined;
}

/** Identifiers in backticks that are written like a name in code: `createMask`, `max_size`, `Store`, `run()`. */
function symbolsIn({ kind, text, subject }: MemoryEntry): string[] {
  if (kind === 'command' || kind === 'location') return [];
  const spans = [...text.matchAll(/`([A-Za-z_$][\w$]{2,60})(\(\))?`/g)];
  const names = spans.flatMap(([, name = '', call]) =>
    call !== undefined || /[a-z\d][A-Z]|_|^[A-Z][a-z]/.test(name) ? [name] : [],
  );
  return [...names, ...(subject?.symbol === undefined ? [] : [subject.symbol])];
}

/** An entry depends on a symbol only once it was seen: "never use `eval()`" holds where there is none. */
function withSymbol(of: {
  readonly entry: MemoryEntry;
  readonly named: readonly string[];
  readonly present: ReadonlySet<string>;
}): MemoryEntry {
  const { entry, named, present } = of;
  const symbol = entry.subject?.symbol ?? named.find((name) => present.has(name));
  return symbol === undefined ? entry : { ...entry, subject: { ...entry.subject, symbol } };
}

/**
 * Which names occur as a word in the files of a repository, tracked or not yet; `undefined` where git cannot tell. Programs
 * that a repository configures are not run.
 */
function presentSymbols(of: {
  readonly root: string;
  readonly names: readonly string[];
}): ReadonlySet<string> | undefined {
  const { root, names } = of;
  if (names.length === 0) return undefined;
  const options = ['-c', 'core.fsmonitor=false', 'grep', '--untracked', '-IohwF'];
  // The board in the repository names them itself.
  const paths = ['--', '.', ':(exclude).longhaul'];
  const { status, stdout } = spawnSync('git', [...options, ...names.flatMap((name) => ['-e', name]), ...paths], {
    cwd: root,
    encoding: 'utf8',
    timeout: 10_000,
    maxBuffer: 32 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  // 1: nothing was found.
  return status === 0 || status === 1 ? new Set(stdout.split('\n')) : undefined;
}

/** The targets of a Makefile; `undefined` where it has none or takes some from elsewhere. */
function makeTargets(root: string): ReadonlySet<string> | undefined {
  const text = ['GNUmakefile', 'makefile', 'Makefile'].map((name) => textOf(join(root, name))).find(Boolean);
  if (text === undefined) return undefined;
  const lines = text.split('\n').filter((line) => /^[^\s#]/.test(line));
  // What is before the first `:` or `=`.
  const rules = lines.flatMap((line) => /^([^:=]{1,300}):(?!:?=)/.exec(line)?.[1] ?? []);
  if (lines.some((line) => /^[-s]?include\b/.test(line)) || rules.some((names) => /[%$]/.test(names))) return undefined;
  const targets = rules.flatMap((names) => names.split(/\s/)).filter(Boolean);
  return targets.length === 0 ? undefined : new Set(targets);
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
