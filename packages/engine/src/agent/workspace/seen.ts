import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';

/** What tells that a file is another one than before, without reading it. */
type Stamp = Pick<BigIntStats, 'mtimeNs' | 'size' | 'ino'>;

/** What an agent has seen of files, so that it does not write over what somebody else has changed since. */
export interface Seen {
  note(of: { readonly path: string; readonly stats: Stamp; readonly content?: Buffer }): void;
  /** Whether a file is another than the one that was seen. One that never was is not. */
  isStale(of: { readonly path: string; readonly stats: Stamp; readonly content?: Buffer }): boolean;
}

/** The newest stay. */
const mostFiles = 5000;

export function createSeen(): Seen {
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
      // Written again with what was in it.
      return known.hash === undefined || content === undefined || known.hash !== hashOf(content);
    },
  };
}

export function stampOf({ mtimeNs, size, ino }: Stamp): string {
  return `${mtimeNs}:${size}:${ino}`;
}

function hashOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
