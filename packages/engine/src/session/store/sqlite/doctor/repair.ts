import { cpSync, existsSync, lstatSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Entry, EntryId } from '../../../entry/entry.ts';
import type { SessionHeader } from '../../store.ts';
import { Blobs } from '../blobs.ts';
import { writeEmptyLog } from '../create.ts';
import { openExisting } from '../database.ts';
import type { StoreFiles } from '../files.ts';
import { type SessionPlace, type StoreLayout, unfinished } from '../layout.ts';
import { LogFile } from '../log-file.ts';
import { rowOf } from '../row.ts';
import { logSchema } from '../schema.ts';
import { newFolder } from '../set-aside.ts';
import { Follower } from './follower.ts';
import { lastHandle } from './last-handle.ts';
import { scan } from './scan.ts';

/**
 * Makes a session anew from what can be read of it. The original is copied aside first and stays there. Entries are kept
 * as they are; one whose parent or epoch is lost follows the entry before it, so that the path goes on across the gap.
 */
export function repair({
  layout,
  files,
  place,
  header,
}: {
  readonly layout: StoreLayout;
  readonly files: StoreFiles;
  readonly place: SessionPlace;
  readonly header: SessionHeader;
}): { readonly setAside: string; readonly entries: number } {
  const setAside = newFolder(layout);
  // Pipes, sockets and devices hold nothing that could be kept, and cannot be copied.
  cpSync(place.folder, join(setAside, place.name), { recursive: true, filter: isCopied });
  const draft = layout.place(`${place.name}${unfinished}${process.pid}-${Date.now()}`);
  let entries: number;
  try {
    files.makeFolder(draft.folder);
    writeEmptyLog({ path: draft.log, header });
    entries = copyEntries({ files, from: place, to: draft });
    for (const folder of [setAside, layout.setAside, draft.folder]) files.syncFolder(folder);
  } catch (error) {
    rmSync(draft.folder, { recursive: true, force: true });
    throw error;
  }
  retire({ place, files });
  mkdirSync(layout.removed, { recursive: true, mode: 0o700 });
  const grave = join(layout.removed, `${place.name}-${process.pid}-${Date.now()}`);
  files.rename(place.folder, grave);
  files.rename(draft.folder, place.folder);
  files.syncFolder(layout.sessions);
  rmSync(grave, { recursive: true, force: true });
  return { setAside, entries };
}

function isCopied(path: string): boolean {
  const found = lstatSync(path);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

function copyEntries({ files, from, to }: { files: StoreFiles; from: SessionPlace; to: SessionPlace }): number {
  let db: DatabaseSync;
  try {
    db = openExisting({ path: from.log, version: logSchema.version });
  } catch {
    return 0;
  }
  const log = new LogFile({ place: to, session: to.name, files });
  try {
    const blobs = new Blobs({ files, folder: from.blobs, session: from.name });
    const follower = new Follower();
    let batch: Entry[] = [];
    let last = 0;
    const flush = (): void => {
      const { leaf, epoch } = follower.head;
      const rows = batch.map(rowOf);
      if (rows.length > 0) log.append([{ session: to.name, expect: last, rows, leaf, epoch }]);
      last = batch.at(-1)?.handle ?? last;
      batch = [];
    };
    for (const { entry } of scan({ db, blobs, last: lastHandle(db), report: () => {} })) {
      if (follower.has(entry.id)) continue;
      const repaired = repairEntry({ entry, follower });
      follower.take(repaired);
      batch.push(repaired);
      if (batch.length === 500) flush();
    }
    flush();
    return log.head().count;
  } finally {
    log.close();
    db.close();
  }
}

/** Others who have the session open shall not go on writing to what is set aside. */
function retire({ place, files }: { place: SessionPlace; files: StoreFiles }): void {
  if (!existsSync(place.log)) return;
  try {
    const log = new LogFile({ place, session: place.name, files });
    log.retire();
    log.close();
  } catch {
    // A file that cannot be opened has no writers.
  }
}

/**
 * Joins what a lost entry tore apart: an entry whose parent is gone follows the node before it, one whose epoch is gone
 * takes that of its parent, a move to what is gone stays where the log is. What says all is there is left as it is.
 */
function repairEntry({ entry, follower }: { readonly entry: Entry; readonly follower: Follower }): Entry {
  const isLost = (id: EntryId | null): boolean => id !== null && !follower.has(id);
  const parentId = isLost(entry.parentId) ? follower.tip : entry.parentId;
  const isOwn = entry.epoch === entry.id;
  const epoch = !isOwn && isLost(entry.epoch) ? follower.epochOf(parentId) : entry.epoch;
  const target = entry.type === 'leaf' && isLost(entry.target) ? { target: follower.tip } : {};
  const isWhole = parentId === entry.parentId && epoch === entry.epoch && !('target' in target);
  return isWhole ? entry : ({ ...entry, parentId, epoch, ...target } as Entry);
}
