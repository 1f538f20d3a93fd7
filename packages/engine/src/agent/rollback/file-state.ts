import type { BigIntStats } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileState } from '../../session/index.ts';
import { isSecretFile } from '../permissions/secret-files.ts';
import { withFile } from '../workspace/open.ts';
import { type FileVersions, sha256 } from './file-versions.ts';

/** What is kept at most. */
export interface RollbackLimits {
  /** Larger files are not kept. Bytes. */
  readonly fileBytes: number;
  /** Bytes that one call may add. */
  readonly callBytes: number;
  /** Files and folders that one call may add. */
  readonly callFiles: number;
}

export const defaultRollbackLimits: RollbackLimits = {
  fileBytes: 20 * 1024 * 1024,
  callBytes: 200 * 1024 * 1024,
  callFiles: 5_000,
};

/**
 * What is at a path, without following a link at its end. With `versions`, the content of a file is kept there.
 *
 * @example
 * const { state } = await readState({ path: '/p/a.ts', versions, fileBytes: 1_000_000 });
 */
export async function readState({
  path,
  versions,
  fileBytes,
}: {
  readonly path: string;
  readonly versions?: FileVersions | undefined;
  readonly fileBytes: number;
}): Promise<FileState> {
  const stats = await lstat(path, { bigint: true }).catch(absent);
  if (stats === undefined) return { kind: 'absent' };
  const mode = Number(stats.mode) & 0o7777;
  if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(path) };
  if (stats.isDirectory()) return { kind: 'folder', mode };
  if (!stats.isFile()) return { kind: 'other' };
  const size = Number(stats.size);
  if (size > fileBytes) return { kind: 'file', size, mode, unkept: `it is larger than ${megabytes(fileBytes)}` };
  try {
    return await withFile({
      path,
      work: async ({ handle, stats: opened }) => {
        const data = await handle.readFile();
        const about = { kind: 'file', size: data.length, mode: Number(opened.mode) & 0o7777 } as const;
        if (!versions) return { ...about, hash: sha256(data) };
        // A copy of a secret in the store could be exported or shared with the session.
        if (isSecretFile(path)) return { ...about, hash: sha256(data), unkept: 'it may contain secrets' };
        const hash = await versions.keep(data);
        if (hash !== undefined) return { ...about, hash };
        return { ...about, hash: sha256(data), unkept: 'the space for earlier versions of files is used up' };
      },
    });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
    return { kind: 'file', size, mode, unkept: `it could not be kept: ${why}` };
  }
}

function absent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  throw error;
}

/**
 * Whether two states are the same: kind, content and permission bits. Files whose content is unknown are never the same.
 *
 * @example
 * isSameState({ kind: 'absent' }, { kind: 'absent' }); // true
 */
export function isSameState(a: FileState, b: FileState): boolean {
  switch (a.kind) {
    case 'absent':
      return b.kind === 'absent';
    case 'file':
      return b.kind === 'file' && a.hash !== undefined && a.hash === b.hash && a.mode === b.mode;
    case 'link':
      return b.kind === 'link' && a.target === b.target;
    case 'folder':
      return b.kind === 'folder' && a.mode === b.mode;
    case 'other':
      return false;
  }
}

/** The paths in a folder, without following links; `undefined` if there are more than `most`. */
export async function pathsInside({
  folder,
  most,
}: {
  readonly folder: string;
  readonly most: number;
}): Promise<string[] | undefined> {
  const paths: string[] = [];
  const queue = [folder];
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const entry of await readdir(at, { withFileTypes: true }).catch(() => [])) {
      const path = join(at, entry.name);
      paths.push(path);
      if (paths.length > most) return undefined;
      if (entry.isDirectory()) queue.push(path);
    }
  }
  return paths;
}

/** Whether the file at a path is still the one that was examined, by its inode and times. */
export function isSameStamp(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.mtimeNs === b.mtimeNs && a.size === b.size;
}

/**
 * A limit for messages.
 *
 * @example
 * megabytes(20 * 1024 * 1024); // '20 MB'
 */
function megabytes(bytes: number): string {
  const whole = bytes / 1024 ** 2;
  return `${whole >= 1 ? Math.round(whole) : Number(whole.toPrecision(2))} MB`;
}
