import type { Entry } from '../session/index.ts';
import { createChain } from './ids.ts';
import { createLogBuilder, type LogBuilder } from './log-builder.ts';
import type { EmbeddedEntry, ImportFormat, ParsedHeader } from './parsed-session.ts';
import type { WarningList } from './warnings.ts';

/** One of the sessions of a file that holds them one after the other. */
export interface SessionRun {
  readonly key: string;
  readonly header: ParsedHeader;
  /** Its entries in order, each put into the log by the weaver. */
  readonly build: (input: { readonly builder: LogBuilder; readonly createdAt: number }) => Entries;
}

type Entries = Iterable<Entry> | AsyncIterable<Entry>;

/**
 * The entries of all runs of a file: the first run is the main session, the others are embedded sessions. A duplicate
 * run is read once.
 *
 * @example
 * entries: ({ createdAt }) => weaveRuns({ format: 'tau-bench', runs, createdAt, warnings })
 */
export async function* readRuns({
  format,
  runs,
  createdAt,
  warnings,
}: {
  readonly format: ImportFormat;
  readonly runs: Iterable<SessionRun> | AsyncIterable<SessionRun>;
  readonly createdAt: number;
  readonly warnings: WarningList;
}): AsyncGenerator<Entry | EmbeddedEntry> {
  const seen = new Set<string>();
  for await (const run of runs) {
    if (seen.has(run.key)) {
      warnings.add({ code: 'repeated-run', message: 'A run is in the file twice; it was read once.' });
      continue;
    }
    const isMain = seen.size === 0;
    seen.add(run.key);
    const builder = createLogBuilder({ idOf: createChain({ seed: `${format}\n${run.key}` }) });
    for await (const entry of run.build({ builder, createdAt: run.header.createdAt ?? createdAt })) {
      yield isMain ? entry : { embedded: run, entry };
    }
  }
}
