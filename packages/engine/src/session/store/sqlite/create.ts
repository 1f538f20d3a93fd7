import { existsSync, rmSync } from 'node:fs';
import type { SessionHeader } from '../store.ts';
import { shownName } from '../summary.ts';
import { writeDatabase } from './database.ts';
import { FailureError } from './failure.ts';
import type { StoreFiles } from './files.ts';
import { type StoreLayout, unfinished } from './layout.ts';
import { logSchema } from './schema.ts';
import { type HeadRow, headerSum, headSum } from './sums.ts';

let counter = 0;

/** Makes an empty session. It appears whole, by one rename, or not at all; two that make the same one cannot both win. */
export function createLog({
  layout,
  files,
  header,
}: {
  readonly layout: StoreLayout;
  readonly files: StoreFiles;
  readonly header: SessionHeader;
}): void {
  const { name, folder } = layout.session(header.id);
  if (existsSync(folder)) throw new FailureError({ kind: 'exists', session: header.id });
  counter += 1;
  const draft = layout.place(`${name}${unfinished}${process.pid}-${Date.now()}-${counter}`);
  files.makeFolder(draft.folder);
  try {
    writeEmptyLog({ path: draft.log, header });
    files.syncFolder(draft.folder);
    files.rename(draft.folder, folder);
  } catch (error) {
    rmSync(draft.folder, { recursive: true, force: true });
    if (existsSync(folder)) throw new FailureError({ kind: 'exists', session: header.id });
    throw error;
  }
  files.syncFolder(layout.sessions);
}

/** Writes a log with a header and nothing else, and syncs it. */
export function writeEmptyLog({ path, header }: { readonly path: string; readonly header: SessionHeader }): void {
  const text = JSON.stringify(header);
  const { updated, name, sum } = emptyHead(header);
  writeDatabase({
    path,
    schema: logSchema,
    fill(db) {
      db.prepare('INSERT INTO meta (header, sum) VALUES (?, ?)').run(text, headerSum(text));
      db.prepare('INSERT INTO head (one, last, count, messages, updated, name, sum) VALUES (1, 0, 0, 0, ?, ?, ?)').run(
        updated,
        name,
        sum,
      );
    },
  });
}

function emptyHead({ createdAt, name }: SessionHeader): HeadRow {
  const head = { last: 0, count: 0, leaf: null, epoch: null, tip: null, span: null, messages: 0, title: null };
  const row = { ...head, updated: createdAt, name: shownName(name) ?? null, sum: 0 };
  return { ...row, sum: headSum(row) };
}
