import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';

/** Identifies a version of a file without reading it. */
type FileStamp = Pick<BigIntStats, 'mtimeNs' | 'size' | 'ino'>;

/** File versions that an agent has seen, so that it does not overwrite changes of others. */
export interface SeenFiles {
  note(of: { readonly path: string; readonly stats: FileStamp; readonly content?: Buffer }): void;
  /** Whether a file differs from the version that was seen. Unseen files are not stale. */
  isStale(of: { readonly path: string; readonly stats: FileStamp; readonly content?: Buffer }): boolean;
}

/** The oldest entries are evicted. */
const mostFiles = 5000;

export function createSeenFiles(): SeenFiles {
  const seen = new Map<string, { readonly stamp: string; readonly hash: string | undefined }>();
  return {
    note({ path, stats, content }) {
      seen.delete(path);
      seen.set(path, { stamp: stampOf(stats), hash: content && hashOf(content) });
      for (const oldest of seen.size > mostFiles ? seen.keys().take(1) : []) seen.delete(oldest);
    },
    isStale({ path, stats, content }) {
      const known = seen.get(path);
      if (!known || known.stamp === stampOf(stats)) return false;
      // The file may have been rewritten with the same content.
      return known.hash === undefined || content === undefined || known.hash !== hashOf(content);
    },
  };
}

export function stampOf({ mtimeNs, size, ino }: FileStamp): string {
  return `${mtimeNs}:${size}:${ino}`;
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
