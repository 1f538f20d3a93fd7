import { LonghaulError } from '../../errors.ts';
import type { Entry, SessionId, Store } from '../../session/index.ts';
import { isPlausible } from '../../session/internal.ts';
import { defaultLimits, type ImportLimits, openSessionFile } from '../open.ts';
import type { EmbeddedEntry, ImportFormat, ParsedSession } from '../parsed-session.ts';
import { createWarnings, type FormatWarning, type WarningList } from '../warnings.ts';
import { createImportWriter, type ImportWriter, NeedsComparison } from './import-writer.ts';

/** What came of an import. */
export interface Imported {
  readonly session: SessionId;
  readonly format: ImportFormat;
  /** How many entries this import added, in all sessions of the file: none where it was all there already. */
  readonly added: number;
  /** The sessions that stand in the file, the main one first: those of sub-agents, and further runs. */
  readonly sessions: readonly SessionId[];
  /** An answer at the end of the file was left for the next import, as was asked. */
  readonly hasLeft?: true;
  readonly warnings: readonly FormatWarning[];
}

/**
 * Brings a file into a store as a session. The same file is the same session: a second import adds what the first, killed
 * or run on a shorter file, did not bring in, and nothing else. Where the session in the store has gone another way than
 * the file, the file becomes a session of its own. A file that is refused, and an import that is aborted, leave no new
 * session behind.
 *
 * @example
 * const { session, warnings } = await importSession({ store, open: () => createReadStream('chat.jsonl') });
 */
export async function importSession({
  store,
  open,
  path,
  cwd,
  format,
  limits = defaultLimits,
  now = Date.now,
  onProgress,
  signal,
  leaveUnfinished = false,
}: {
  readonly store: Store;
  /** The bytes of the file, from its beginning each time. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Where the file is; databases have to be opened there. */
  readonly path?: string;
  /** The folder that the session is about, where the file does not say. */
  readonly cwd?: string | undefined;
  readonly format?: ImportFormat;
  readonly limits?: ImportLimits;
  /** The time of sessions whose file has none. */
  readonly now?: () => number;
  readonly onProgress?: (progress: { readonly entries: number }) => void;
  readonly signal?: AbortSignal;
  /**
   * Skips an answer that the file may still extend. Otherwise it is imported as it is, and a later import that finds more
   * of it puts the longer answer on a branch.
   */
  readonly leaveUnfinished?: boolean;
}): Promise<Imported> {
  let { parsed, warnings } = await read();
  const writer = createImportWriter({ store, parsed, now, onProgress, signal, leaveUnfinished });
  try {
    // Each turn settles for at least one more session of the file where it goes on; most files need none.
    for (;;) {
      const createdAt = await writer.begin();
      if (writer.mustCompare) {
        await writer.compare(pieces(createdAt));
        ({ parsed, warnings } = await read());
      }
      try {
        const added = await writer.write(pieces(createdAt));
        const lost = writer.isIdle ? warnings.list.find(({ code }) => code === 'bad-line') : undefined;
        if (lost) throw new Unreadable('Nothing can be read.', { cause: nothingLeft({ parsed, lost }) });
        return result({ writer, parsed, added, warnings });
      } catch (error) {
        if (!(error instanceof NeedsComparison)) throw error;
        ({ parsed, warnings } = await read());
      }
    }
  } catch (error) {
    const isRefused = error instanceof Unreadable;
    // What a full disk stopped can be continued; the rest leaves nothing behind.
    const isRefusedByStore = LonghaulError.is(error) && !continuable.has(error.code);
    if (isRefused || isRefusedByStore || signal?.aborted) await writer.discard();
    throw isRefused ? error.cause : error;
  }

  function pieces(createdAt: number): AsyncIterable<Entry | EmbeddedEntry> {
    return withPlausibleTimes({ pieces: unreadable(parsed.entries({ createdAt })), createdAt, now: now(), warnings });
  }

  async function read(): Promise<{ parsed: ParsedSession; warnings: WarningList }> {
    const list = createWarnings();
    const bytes = open();
    const opened = await openSessionFile({
      bytes,
      limits,
      warnings: list,
      ...(path && { path }),
      ...(format && { format }),
    });
    const header = cwd === undefined ? opened.header : { cwd, ...opened.header };
    return { parsed: { ...opened, header }, warnings: list };
  }
}

function result(of: {
  readonly writer: ImportWriter;
  readonly parsed: ParsedSession;
  readonly added: number;
  readonly warnings: WarningList;
}): Imported {
  const { writer, parsed, added, warnings } = of;
  const { sessions, diverged, hasLeft } = writer;
  const divergences = diverged.map(({ session, old }) => ({
    code: 'gone-another-way',
    message: `Session ${old} has gone another way than the file since it was imported; the file is session ${session} now.`,
  }));
  const [session = ''] = sessions;
  const left = hasLeft ? ({ hasLeft } as const) : {};
  return { session, format: parsed.format, added, sessions, ...left, warnings: [...divergences, ...warnings.list] };
}

/** Failures of the store that another try may not meet. */
const continuable: ReadonlySet<string> = new Set(['store-write-failed', 'session-conflict']);

/** A session may be empty; one of which all is damaged is none. */
function nothingLeft({
  parsed,
  lost,
}: {
  readonly parsed: ParsedSession;
  readonly lost: FormatWarning;
}): LonghaulError {
  return new LonghaulError({
    code: 'nothing-left',
    message: `Nothing of this ${parsed.format} session can be read; line ${lost.line} is the first that is damaged.`,
    hint: 'See whether there is another copy of it.',
  });
}

/** A failure of the file, as opposed to one of the store. */
class Unreadable extends Error {}

async function* unreadable(entries: AsyncIterable<Entry | EmbeddedEntry>): AsyncGenerator<Entry | EmbeddedEntry> {
  try {
    yield* entries;
  } catch (cause) {
    throw new Unreadable('The file cannot be read.', { cause });
  }
}

/**
 * The entries of a file with times that can be true. An absurd one is unknown: the time of the entry before it is taken, or
 * that of the session, and a warning says so. One file must not sort itself before all others for ever.
 */
async function* withPlausibleTimes({
  pieces,
  createdAt,
  now,
  warnings,
}: {
  readonly pieces: AsyncIterable<Entry | EmbeddedEntry>;
  readonly createdAt: number;
  readonly now: number;
  readonly warnings: WarningList;
}): AsyncGenerator<Entry | EmbeddedEntry> {
  const last = new Map<string | undefined, number>();
  let absurd = 0;
  for await (const piece of pieces) {
    const sessionKey = 'embedded' in piece ? piece.embedded.key : undefined;
    const entry = 'embedded' in piece ? piece.entry : piece;
    if (isPlausible({ at: entry.at, now })) {
      last.set(sessionKey, entry.at);
      yield piece;
      continue;
    }
    absurd += 1;
    const known = { ...entry, at: last.get(sessionKey) ?? createdAt };
    yield 'embedded' in piece ? { ...piece, entry: known } : known;
  }
  if (absurd > 0) {
    const message = `${absurd} times cannot be true (negative, or in the future) and count as unknown.`;
    warnings.add({ code: 'absurd-time', message });
  }
}
