import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { SessionId } from '../store.ts';

/**
 * Where things lie in the folder of a store. Everything of a session is in its own folder, blobs too, so that damage
 * stays local and deleting a session is removing a folder; the catalog and the index beside them can be rebuilt.
 */
export interface Layout {
  readonly dir: string;
  readonly sessions: string;
  /** Sessions on their way out. What a killed process leaves here is swept by the next. */
  readonly removed: string;
  /** Damaged originals, kept by the doctor. Nothing here is ever read or overwritten. */
  readonly setAside: string;
  readonly catalog: string;
  readonly index: string;
  session(id: SessionId): SessionPlace;
  /** By the name of its folder, where the id is not known yet. */
  place(name: string): SessionPlace;
}

export interface SessionPlace {
  readonly name: string;
  readonly folder: string;
  readonly log: string;
  readonly blobs: string;
}

export function layoutOf(dir: string): Layout {
  const sessions = join(dir, 'sessions');
  const place = (name: string): SessionPlace => {
    const folder = join(sessions, name);
    return { name, folder, log: join(folder, 'log.sqlite'), blobs: join(folder, 'blobs') };
  };
  return {
    dir,
    sessions,
    removed: join(dir, 'removed'),
    setAside: join(dir, 'set-aside'),
    catalog: join(dir, 'catalogue.sqlite'),
    index: join(dir, 'index.sqlite'),
    session: (id) => place(folderName(id)),
    place,
  };
}

/** Marks a folder in which a session is still being made. No session's folder has a dot in its name. */
export const unfinished = '.new-';

/**
 * Ids that are safe as a name on every file system name their folder; others (capitals would collide where case does
 * not count) are hashed. The true id is in the session's header.
 */
function folderName(id: SessionId): string {
  return /^[a-z0-9][a-z0-9_-]{0,99}$/.test(id) ? id : `x_${createHash('sha256').update(id).digest('hex')}`;
}
