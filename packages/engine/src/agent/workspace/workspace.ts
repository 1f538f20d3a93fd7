import { realpathSync } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { badPath, notAFile, toFileError } from './errors.ts';
import { createSeenFiles, type SeenFiles } from './seen-files.ts';

/** A resolved path of the model. */
export interface WorkspacePath {
  /** Absolute and real. */
  readonly path: string;
  /** Neither in the workspace nor in the scratch folder. */
  readonly isOutside: boolean;
  /** For display: relative to the workspace if inside. */
  readonly shown: string;
}

/** The working folder of an agent, and which files it has seen. */
export interface Workspace {
  /** Absolute and real. */
  readonly root: string;
  readonly seen: SeenFiles;
  resolve(path: string): Promise<WorkspacePath>;
  /** Serializes work per file. */
  exclusive<T>(of: { readonly path: string; readonly work: () => Promise<T> }): Promise<T>;
}

/** Virtual file systems of the kernel: they expose process secrets and endless files. */
const kernel = /^\/(?:proc|sys|dev)(?:\/|$)/;

const longestPath = 4096;

/**
 * Creates a workspace for a folder.
 *
 * @example
 * const { isOutside } = await createWorkspace({ cwd: '/home/me/project', home: '/home/me' }).place('../notes.md');
 */
export function createWorkspace({
  cwd,
  folders = [],
  home,
  scratch,
}: {
  readonly cwd: string;
  /** Further folders that count as part of the workspace. */
  readonly folders?: readonly string[];
  readonly home: string;
  /** A folder of the agent that counts as inside. It need not exist yet. */
  readonly scratch?: string | undefined;
}): Workspace {
  const root = realpathSync.native(cwd);
  const added = folders.map((folder) => realpathSync.native(folder));
  const lines = new Map<string, Promise<unknown>>();
  return {
    root,
    seen: createSeenFiles(),
    async resolve(written) {
      if (written === '') throw badPath({ why: 'is empty' });
      if (written.includes('\0')) throw badPath({ why: 'has a NUL byte in it' });
      if (written.length > longestPath) throw badPath({ why: `is longer than ${longestPath} characters` });
      const whole = resolve(root, /^~(?=$|[\\/])/.test(written) ? join(home, written.slice(1)) : written);
      const path = await realPath(whole).catch((error: unknown) => {
        throw toFileError({ error, path: written });
      });
      if (kernel.test(path) || kernel.test(whole)) throw notAFile({ path: written, what: 'virtual' });
      const isInside = isWithin({ path, folder: root });
      const isAdded = added.some((folder) => isWithin({ path, folder }));
      const isScratch = scratch !== undefined && isWithin({ path, folder: await realPath(resolve(scratch)) });
      const shown = isInside ? relative(root, path) || '.' : path;
      return { path, isOutside: !isInside && !isAdded && !isScratch, shown };
    },
    exclusive({ path, work }) {
      const done = (lines.get(path) ?? Promise.resolve()).then(work);
      const rest = done
        .catch(() => undefined)
        .then(() => {
          if (lines.get(path) === rest) lines.delete(path);
        });
      lines.set(path, rest);
      return done;
    },
  };
}

/** Whether an absolute path is a folder or inside it. */
export function isWithin({ path, folder }: { readonly path: string; readonly folder: string }): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** More links in a row are treated as a cycle. */
const mostLinks = 40;

/**
 * The real path, even if it does not exist yet: links are followed as far as possible, and a dangling link leads to its
 * target. Uses the name on disk, so that paths of different case are one file.
 */
export async function realPath(path: string): Promise<string> {
  const missing: string[] = [];
  let [at, links] = [path, 0];
  for (;;) {
    const real = await followed(at);
    if (real !== undefined) return join(real, ...missing.toReversed());
    const target = await linked(at);
    if (target !== undefined) {
      links += 1;
      if (links > mostLinks) throw badPath({ why: 'leads in a cycle of links' });
      at = resolve((await followed(dirname(at))) ?? dirname(at), target);
      continue;
    }
    missing.push(basename(at));
    at = dirname(at);
  }
}

async function followed(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

async function linked(path: string): Promise<string | undefined> {
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
