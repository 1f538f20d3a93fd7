import type { Entry } from '../session/index.ts';
import { createChain } from './chain.ts';
import { createWeaver, type Weaver } from './log-builder.ts';
import type { Beside, ImportFormat, ReadHeader } from './reading.ts';
import type { WarningList } from './report.ts';

/** One of the sessions of a file that holds them one after the other. */
export interface Run {
  readonly key: string;
  readonly header: ReadHeader;
  /** Its entries in order, each put into the log by the weaver. */
  readonly weave: (input: { readonly weaver: Weaver; readonly createdAt: number }) => Entries;
}

type Entries = Iterable<Entry> | AsyncIterable<Entry>;

/**
 * The entries of all runs of a file: the first run is the main session, the others stand beside it. A run that the file
 * holds twice is read once.
 *
 * @example
 * entries: ({ createdAt }) => weaveRuns({ format: 'tau-bench', runs, createdAt, warnings })
 */
export async function* weaveRuns({
  format,
  runs,
  createdAt,
  warnings,
}: {
  readonly format: ImportFormat;
  readonly runs: Iterable<Run> | AsyncIterable<Run>;
  readonly createdAt: number;
  readonly warnings: WarningList;
}): AsyncGenerator<Entry | Beside> {
  const seen = new Set<string>();
  for await (const run of runs) {
    if (seen.has(run.key)) {
      warnings.add({ code: 'repeated-run', message: 'A run stands in the file twice; it was read once.' });
      continue;
    }
    const isMain = seen.size === 0;
    seen.add(run.key);
    const weaver = createWeaver({ idOf: createChain({ seed: `${format}\n${run.key}` }) });
    for await (const entry of run.weave({ weaver, createdAt: run.header.createdAt ?? createdAt })) {
      yield isMain ? entry : { beside: run, entry };
    }
  }
}
