import { rmSync } from 'node:fs';
import { failureOf } from '../failure.ts';
import type { Files } from '../files.ts';
import { type Layout, unfinished } from '../layout.ts';
import type { Problem } from './report.ts';

/** What one small append needs, with the files that SQLite makes for it. */
const probeBytes = 65_536;

/** Whether the store's disk takes writes. Writes a file and removes it; one that a kill leaves is swept like a draft. */
export function diskProblems({ layout, files }: { readonly layout: Layout; readonly files: Files }): Problem[] {
  const probe = layout.place(`probe${unfinished}${process.pid}-${Date.now()}`).folder;
  try {
    files.writeSynced(probe, new Uint8Array(probeBytes));
    return [];
  } catch (error) {
    const failure = failureOf({ error, where: layout.dir });
    if (failure.kind !== 'write') throw error;
    const what = `nothing can be written: ${failure.why}`;
    const next =
      'Sessions can be read and exported elsewhere; to go on, make room (`longhaul delete`) or make it writable.';
    return [{ kind: 'disk-refuses', where: layout.dir, what, next }];
  } finally {
    rmSync(probe, { force: true });
  }
}
