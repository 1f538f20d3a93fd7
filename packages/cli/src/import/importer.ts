import type { ImportFormat } from 'longhaul/formats';
import { addCounts, type Counts, countEntry, noCounts, type SessionId, type Store } from 'longhaul/session';
import type { Io } from '../io/io.ts';
import { createAdder } from '../session/adder.ts';
import { linkedTo } from '../session/linked.ts';
import { loadTokenCounter } from '../session/token-counter.ts';
import type { Opened } from '../store/with-store.ts';
import { dryStore } from './dry-store.ts';
import { importFile } from './import-file.ts';
import { interruptedLate } from './interrupt.ts';
import type { Ledger } from './ledger.ts';
import { showImport } from './progress.ts';
import type { Report } from './report.ts';
import type { Source } from './source.ts';

/** What came of one source. */
interface Outcome {
  readonly report: Report;
  /** An answer that is still being written waits for the next import. */
  readonly hasLeft: boolean;
}

/** Imports one source after the other into one store. */
export interface Importer {
  readonly bringIn: (input: {
    readonly source: Source;
    readonly signal: AbortSignal;
    readonly leaveUnfinished?: boolean;
  }) => Promise<Outcome>;
}

/**
 * @example
 * const importer = await createImporter({ io, opened, ledger, format: undefined, isDry: false });
 * const { report } = await importer.bringIn({ source, signal });
 */
export async function createImporter({
  io,
  opened: { store, values },
  ledger,
  format,
  isDry,
}: {
  readonly io: Io;
  readonly opened: Opened<Store>;
  readonly ledger: Ledger;
  readonly format: ImportFormat | undefined;
  /** Nothing is kept; what is told is what would be. */
  readonly isDry: boolean;
}): Promise<Importer> {
  const { count: countTokens } = await loadTokenCounter();
  const adder = createAdder({ store, countTokens });
  return {
    async bringIn({ source, signal, leaveUnfinished = false }) {
      const progress = showImport({ io, source });
      let fresh = noCounts;
      const dry = dryStore({
        store,
        onEntry: (entry) => {
          fresh = addCounts(fresh, countEntry({ entry, countTokens }));
        },
      });
      try {
        // Asked before it is read: what is written meanwhile is a change.
        const state = await source.state();
        const imported = await importFile({
          io,
          store: isDry ? dry : store,
          source,
          format,
          limits: values.limits,
          signal,
          leaveUnfinished,
          onProgress: progress.reading,
        });
        const { session, sessions, added, warnings, hasLeft = false } = imported;
        const counted = await stored({ sessions, signal, onProgress: progress.counting }).catch((error: unknown) => {
          throw signal.aborted ? interruptedLate({ name: source.name, session }) : error;
        });
        const isKept = !isDry && source.path !== undefined && state !== undefined;
        if (isKept && !hasLeft) ledger.add({ path: source.path, session, state });
        return {
          hasLeft,
          report: {
            sessionId: session,
            format: imported.format,
            added,
            ...addCounts(fresh, counted),
            ...(sessions.length > 1 && { sessions }),
            ...(isDry && { dryRun: true }),
            warnings,
          },
        };
      } finally {
        await progress.clear();
      }
    },
  };

  /** What is in the store of these sessions and of those that are part of them. */
  async function stored(of: {
    readonly sessions: readonly SessionId[];
    readonly signal: AbortSignal;
    readonly onProgress: (entries: number) => void;
  }): Promise<Counts> {
    const all = await store.list();
    const there = new Set(all.map(({ header }) => header.id));
    const linked = linkedTo({ sessions: of.sessions, all });
    return await adder.add({ ...of, sessions: [...linked].filter((id) => there.has(id)) });
  }
}
