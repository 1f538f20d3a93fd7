import { LonghaulError } from 'longhaul';
import { type Imported, type ImportFormat, importSession } from 'longhaul/formats';
import {
  addCounts,
  countEntry,
  type Entry,
  type EntryCounts,
  type Head,
  noCounts,
  type SessionHeader,
  type SessionId,
  type Store,
} from 'longhaul/session';
import { cannotRead } from '../errors/file-errors.ts';
import { systemCode } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { createProgress } from '../output/progress.ts';
import { linkedTo } from '../session/linked.ts';
import { readLog } from '../session/read-log.ts';
import { loadTokenCounter, type TokenCounter } from '../session/token-counter.ts';
import type { Settings } from '../settings/schema.ts';
import type { Opened } from '../store/with-store.ts';
import { bar } from '../text/bar.ts';
import { bytesText } from '../text/bytes.ts';
import { number } from '../text/number.ts';
import { printable } from '../text/printable.ts';
import type { ImportLedger } from './ledger.ts';
import { projectRoot } from './project-root.ts';
import type { ImportReport } from './report.ts';
import type { ImportSource } from './source.ts';

/** The result of importing one source. */
interface ImportOutcome {
  readonly report: ImportReport;
  /** Whether an unfinished answer was left for the next import. */
  readonly hasLeft: boolean;
}

/** Imports sources into one store, one after the other. */
export interface Importer {
  readonly bringIn: (input: {
    readonly source: ImportSource;
    readonly signal: AbortSignal;
    readonly leaveUnfinished?: boolean;
  }) => Promise<ImportOutcome>;
}

/** Milliseconds that an import waits for another one of the same file, and between two attempts. */
const longestWait = 30_000;
const attemptMs = 250;

/** Another import of the same file may be running: this one then adds what is left, if anything. */
async function afterOthers<Answer>({
  io,
  source,
  signal,
  work,
}: {
  readonly io: Pick<Io, 'now' | 'sleep'>;
  readonly source: ImportSource;
  readonly signal: AbortSignal;
  readonly work: () => Promise<Answer>;
}): Promise<Answer> {
  const until = io.now() + longestWait;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      // Standard input cannot be read twice.
      const isWaiting =
        LonghaulError.is(error) && error.code === 'session-in-use' && source.path !== undefined && io.now() < until;
      if (!isWaiting) throw error;
      await io.sleep({ ms: attemptMs, signal });
      signal.throwIfAborted();
    }
  }
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
  readonly ledger: ImportLedger;
  readonly format: ImportFormat | undefined;
  /** Dry run: reports without storing. */
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
        // Read before the content, so that anything written meanwhile counts as a change.
        const state = await source.state();
        const imported = await afterOthers({
          io,
          source,
          signal,
          work: async () =>
            await importFile({
              io,
              store: isDry ? dry : store,
              source,
              format,
              limits: values.limits,
              signal,
              leaveUnfinished,
              onProgress: progress.reading,
            }),
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

  /** Counts these sessions and those of their sub-agents. */
  async function stored(of: {
    readonly sessions: readonly SessionId[];
    readonly signal: AbortSignal;
    readonly onProgress: (entries: number) => void;
  }): Promise<EntryCounts> {
    const all = await store.list();
    const there = new Set(all.map(({ header }) => header.id));
    const linked = linkedTo({ sessions: of.sessions, all });
    return await adder.add({ ...of, sessions: [...linked].filter((id) => there.has(id)) });
  }
}

const cells = 24;

/** Shows the progress of an import on a terminal. */
interface ImportProgress {
  readonly reading: (reached: Reached) => void;
  /** After reading, tokens are counted. */
  readonly counting: (entries: number) => void;
  readonly clear: () => Promise<void>;
}

/**
 * @example
 * const progress = showImport({ io, source });
 * progress.reading({ bytes: 1_000_000, entries: 120 });
 * await progress.clear();
 */
function showImport({
  io,
  source: { name, bytes: size },
}: {
  readonly io: Pick<Io, 'stderr' | 'now'>;
  readonly source: ImportSource;
}): ImportProgress {
  const progress = createProgress({ io });
  const shown = printable(name);
  return {
    reading({ bytes, entries }) {
      const share = size === 0 ? 0 : Math.min(1, bytes / size);
      const percent = String(Math.floor(share * 100)).padStart(3);
      const amount = entries === 0 ? '' : `, ${number(entries)} entries`;
      void progress.show(`${bar({ share, cells })} ${percent} % of ${bytesText(size)}${amount}  ${shown}`);
    },
    counting: (entries) => void progress.show(`${number(entries)} entries counted  ${shown}`),
    clear: progress.clear,
  };
}

/**
 * A store that accepts writes and discards them, in front of a store that is only read. An import into it does everything
 * a real one does, including the comparison with what is stored.
 *
 * @example
 * await importSession({ store: dryStore({ store, onEntry: count }), open });
 */
function dryStore({ store, onEntry }: { readonly store: Store; readonly onEntry: (entry: Entry) => void }): Store {
  const created = new Map<SessionId, SessionHeader>();
  const heads = new Map<SessionId, Head>();
  return {
    async create({ header }) {
      created.set(header.id, header);
      heads.set(header.id, { last: 0, count: 0, leaf: null, epoch: null });
    },
    header: async (session) => created.get(session) ?? (await store.header(session)),
    head,
    async append({ session, entries, leaf, epoch }) {
      const { last, count } = await head(session);
      entries.forEach(onEntry);
      const after = { last: entries.at(-1)?.handle ?? last, count: count + entries.length, leaf, epoch };
      heads.set(session, after);
      return after;
    },
    read: async (input) => (created.has(input.session) ? [] : await store.read(input)),
    async delete(session) {
      created.delete(session);
      heads.delete(session);
    },
    list: (query) => store.list(query),
    search: (input) => store.search(input),
    close: async () => undefined,
  };

  async function head(session: SessionId): Promise<Head> {
    return heads.get(session) ?? (await store.head(session));
  }
}

/** Progress of an import. */
interface Reached {
  /** Bytes read in the current pass; a source that was imported before is read twice. */
  readonly bytes: number;
  readonly entries: number;
}

/**
 * Imports one source into a store.
 *
 * @example
 * const { session } = await importFile({ io, store, source, limits, format: undefined, signal, onProgress });
 */
async function importFile({
  io,
  store,
  source,
  format,
  limits,
  signal,
  leaveUnfinished = false,
  onProgress,
}: {
  readonly io: Io;
  readonly store: Store;
  readonly source: ImportSource;
  readonly format: ImportFormat | undefined;
  readonly limits: Settings['limits'];
  readonly signal: AbortSignal;
  /** Whether an unfinished answer is left for the next import. */
  readonly leaveUnfinished?: boolean;
  readonly onProgress: (reached: Reached) => void;
}): Promise<Imported> {
  const { name, path, isFile } = source;
  let reached: Reached = { bytes: 0, entries: 0 };
  const reach = (further: Partial<Reached>) => {
    reached = { ...reached, ...further };
    onProgress(reached);
  };
  try {
    const cwd = path !== undefined && isFile ? await projectRoot({ io, path }) : undefined;
    return await importSession({
      store,
      cwd,
      open: async function* () {
        reach({ bytes: 0 });
        for await (const piece of source.open()) {
          reach({ bytes: reached.bytes + piece.length });
          yield piece;
        }
      },
      limits,
      now: io.now,
      signal,
      leaveUnfinished,
      onProgress: reach,
      ...(path !== undefined && isFile && { path }),
      ...(format && { format }),
    });
  } catch (error) {
    if (signal.aborted) throw interrupted({ name });
    if (LonghaulError.is(error)) throw inFile({ error, name });
    throw systemCode(error) === undefined ? error : cannotRead({ name, error });
  }
}

/** Adds the file name and our flags, which the engine does not know. */
function inFile({ error, name }: { readonly error: LonghaulError; readonly name: string }): LonghaulError {
  const { code, message, hint } = error.toJSON();
  if (storeCodes.has(code)) return error;
  const sentence = message.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
  return new LonghaulError({ code, message: `${name}: ${sentence}`, hint: flags[code] ?? hint, cause: error });
}

const flags: Readonly<Record<string, string>> = {
  'line-too-long': 'Raise the limit with --limits-line-bytes.',
  'file-too-large': 'Raise the limit with --limits-file-bytes.',
  'wrong-format': 'Omit --format to detect the format from the content.',
};

/** Errors of the store itself; all others are about the file. */
const storeCodes: ReadonlySet<string> = new Set([
  'append-rejected',
  'session-conflict',
  'session-exists',
  'session-missing',
  'store-damaged',
  'store-failed',
  'store-write-failed',
]);

/** The error of a cancelled import. */
function interrupted({ name }: { readonly name: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    message: `Interrupted before the end of ${name}: no session was created.`,
    hint: 'Run the command again to import it.',
  });
}

/** The same after everything was stored, while tokens were being counted. */
function interruptedLate({ name, session }: { readonly name: string; readonly session: string }): LonghaulError {
  return new LonghaulError({
    code: 'interrupted',
    message: `Interrupted while counting: ${name} is imported as session ${session}.`,
    hint: `Run \`longhaul stats ${session}\` for the numbers.`,
  });
}

/** Sums up sessions and remembers its position: of a session that grew, only new entries are read. */
interface Adder {
  readonly add: (input: {
    readonly sessions: Iterable<SessionId>;
    readonly onProgress?: (entries: number) => void;
    readonly signal?: AbortSignal;
  }) => Promise<EntryCounts>;
}

/**
 * @example
 * const adder = createAdder({ store, countTokens: (await loadTokenCounter()).count });
 * const { messages, tokens } = await adder.add({ sessions: [session] });
 */
function createAdder({
  store,
  countTokens,
}: {
  readonly store: Store;
  readonly countTokens: TokenCounter['count'];
}): Adder {
  const known = new Map<SessionId, { readonly last: number; readonly sum: EntryCounts }>();
  return {
    async add({ sessions, onProgress, signal }) {
      let sum = noCounts;
      for (const session of sessions) {
        let { last, sum: own } = known.get(session) ?? { last: 0, sum: noCounts };
        for await (const entry of readLog({ store, session, from: last + 1 })) {
          signal?.throwIfAborted();
          last = entry.handle;
          own = addCounts(own, countEntry({ entry, countTokens }));
          if (own.entries % 1000 === 0) onProgress?.(sum.entries + own.entries);
        }
        known.set(session, { last, sum: own });
        sum = addCounts(sum, own);
      }
      return sum;
    },
  };
}
