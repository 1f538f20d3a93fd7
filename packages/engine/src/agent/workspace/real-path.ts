import { lstat, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { badPath } from './problems.ts';

/** More links in a row are a circle. */
const mostLinks = 40;

/**
 * Where a path really leads, also one that does not exist yet: links are followed as far as there is something, a link to
 * nothing leads where it points. The system's own name of a file is taken, so that letters of another case are one file.
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
      if (links > mostLinks) throw badPath({ why: 'leads in a circle of links' });
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
