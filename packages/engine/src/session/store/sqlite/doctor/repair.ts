import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Entry, type EntryId, nodeTypes } from '../../../entry/entry.ts';
import type { SessionHeader } from '../../store.ts';
import { Blobs } from '../blobs.ts';
import { writeEmptyLog } from '../create.ts';
import { openExisting } from '../database.ts';
import type { Files } from '../files.ts';
import { type Layout, type SessionPlace, unfinished } from '../layout.ts';
import { LogFile } from '../log-file.ts';
import { rowOf } from '../row.ts';
import { logSchema } from '../schema.ts';
import { newFolder } from '../set-aside.ts';
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
  readonly layout: Layout;
  readonly files: Files;
  readonly place: SessionPlace;
  readonly header: SessionHeader;
}): { readonly setAside: string; readonly entries: number } {
  const setAside = newFolder(layout);
  cpSync(place.folder, join(setAside, place.name), { recursive: true });
  const draft = layout.place(`${place.name}${unfinished}${process.pid}-${Date.now()}`);
  files.makeFolder(draft.folder);
  writeEmptyLog({ path: draft.log, header });
  const entries = copyEntries({ files, from: place, to: draft });
  for (const folder of [setAside, layout.setAside, draft.folder]) files.syncFolder(folder);
  retire({ place, files });
  mkdirSync(layout.removed, { recursive: true, mode: 0o700 });
  const grave = join(layout.removed, `${place.name}-${process.pid}-${Date.now()}`);
  files.rename(place.folder, grave);
  files.rename(draft.folder, place.folder);
  files.syncFolder(layout.sessions);
  rmSync(grave, { recursive: true, force: true });
  return { setAside, entries };
}

function copyEntries({ files, from, to }: { files: Files; from: SessionPlace; to: SessionPlace }): number {
  let db: DatabaseSync;
  try {
    db = openExisting({ path: from.log, version: logSchema.version });
  } catch {
    return 0;
  }
  const log = new LogFile({ place: to, session: to.name, files });
  try {
    const blobs = new Blobs({ files, folder: from.blobs, session: from.name });
    const mender = new Mender();
    let batch: Entry[] = [];
    let last = 0;
    const flush = (): void => {
      const { leaf, epoch } = mender;
      const rows = batch.map(rowOf);
      if (rows.length > 0) log.append([{ session: to.name, expect: last, rows, leaf, epoch }]);
      last = batch.at(-1)?.handle ?? last;
      batch = [];
    };
    for (const { entry } of scan({ db, blobs, last: lastHandle(db), report: () => {} })) {
      if (mender.has(entry.id)) continue;
      batch.push(mender.mend(entry));
      if (batch.length === 500) flush();
    }
    flush();
    return log.head().count;
  } finally {
    log.close();
    db.close();
  }
}

/** Follows the log and joins what a lost entry tore apart. */
class Mender {
  leaf: EntryId | null = null;
  readonly #epochs = new Map<EntryId, EntryId | null>();
  #tip: EntryId | null = null;

  get epoch(): EntryId | null {
    return this.leaf === null ? null : (this.#epochs.get(this.leaf) ?? null);
  }

  has(id: EntryId): boolean {
    return this.#epochs.has(id);
  }

  mend(entry: Entry): Entry {
    const isLost = (id: EntryId | null): boolean => id !== null && !this.#epochs.has(id);
    const parentId = isLost(entry.parentId) ? this.#tip : entry.parentId;
    const isOwn = entry.epoch === entry.id;
    const epoch = !isOwn && isLost(entry.epoch) ? this.#epochOf(parentId) : entry.epoch;
    const isWhole = parentId === entry.parentId && epoch === entry.epoch;
    const mended: Entry = isWhole ? entry : { ...entry, parentId, epoch };
    this.#epochs.set(mended.id, mended.epoch);
    if (nodeTypes.has(mended.type)) [this.leaf, this.#tip] = [mended.id, mended.id];
    if (mended.type === 'leaf') this.leaf = isLost(mended.target) ? this.#tip : mended.target;
    return mended;
  }

  #epochOf(id: EntryId | null): EntryId | null {
    return id === null ? null : (this.#epochs.get(id) ?? null);
  }
}

/** Others who have the session open shall not go on writing to what is set aside. */
function retire({ place, files }: { place: SessionPlace; files: Files }): void {
  if (!existsSync(place.log)) return;
  try {
    const log = new LogFile({ place, session: place.name, files });
    log.retire();
    log.close();
  } catch {
    // Nobody can write to what cannot be opened.
  }
}
