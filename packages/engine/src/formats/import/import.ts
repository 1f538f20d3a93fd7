import { LonghaulError } from '../../errors.ts';
import type { Entry, SessionId, Store } from '../../session/index.ts';
import { defaultLimits, type ImportLimits, openReading } from '../open.ts';
import type { Beside, ImportFormat, Reading } from '../reading.ts';
import { createWarnings, type FormatWarning, type WarningList } from '../report.ts';
import { createDesk, type Desk, Stranger } from './import-writer.ts';
import { withPlausibleTimes } from './plausible-times.ts';

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
  readonly format?: ImportFormat;
  readonly limits?: ImportLimits;
  /** The time of sessions whose file has none. */
  readonly now?: () => number;
  readonly onProgress?: (progress: { readonly entries: number }) => void;
  readonly signal?: AbortSignal;
  /**
   * Takes no answer that the file may still say more of. Else it is taken as it stands, and an import that finds more of
   * it puts it on a branch of its own.
   */
  readonly leaveUnfinished?: boolean;
}): Promise<Imported> {
  let { reading, warnings } = await read();
  const desk = createDesk({ store, reading, now, onProgress, signal, leaveUnfinished });
  try {
    // Each turn settles for at least one more session of the file where it goes on; most files need none.
    for (;;) {
      const createdAt = await desk.begin();
      if (desk.mustCompare) {
        await desk.compare(pieces(createdAt));
        ({ reading, warnings } = await read());
      }
      try {
        const added = await desk.write(pieces(createdAt));
        const lost = desk.isIdle ? warnings.list.find(({ code }) => code === 'bad-line') : undefined;
        if (lost) throw new Unreadable('Nothing can be read.', { cause: nothingLeft({ reading, lost }) });
        return result({ desk, reading, added, warnings });
      } catch (error) {
        if (!(error instanceof Stranger)) throw error;
        ({ reading, warnings } = await read());
      }
    }
  } catch (error) {
    const isRefused = error instanceof Unreadable;
    // What a full disk stopped can be continued; the rest leaves nothing behind.
    const isRefusedByStore = LonghaulError.is(error) && !continuable.has(error.code);
    if (isRefused || isRefusedByStore || signal?.aborted) await desk.discard();
    throw isRefused ? error.cause : error;
  }

  function pieces(createdAt: number): AsyncIterable<Entry | Beside> {
    return withPlausibleTimes({ pieces: unreadable(reading.entries({ createdAt })), createdAt, now: now(), warnings });
  }

  async function read(): Promise<{ reading: Reading; warnings: WarningList }> {
    const list = createWarnings();
    const bytes = open();
    const opened = await openReading({
      bytes,
      limits,
      warnings: list,
      ...(path && { path }),
      ...(format && { format }),
    });
    return { reading: opened, warnings: list };
  }
}

function result(of: {
  readonly desk: Desk;
  readonly reading: Reading;
  readonly added: number;
  readonly warnings: WarningList;
}): Imported {
  const { desk, reading, added, warnings } = of;
  const { sessions, diverged, hasLeft } = desk;
  const told = diverged.map(({ session, old }) => ({
    code: 'gone-another-way',
    message: `Session ${old} has gone another way than the file since it was imported; the file is session ${session} now.`,
  }));
  const [session = ''] = sessions;
  const left = hasLeft ? ({ hasLeft } as const) : {};
  return { session, format: reading.format, added, sessions, ...left, warnings: [...told, ...warnings.list] };
}

/** Failures of the store that another try may not meet. */
const continuable: ReadonlySet<string> = new Set(['store-write-failed', 'session-conflict']);

/** A session may be empty; one of which all is damaged is none. */
function nothingLeft({ reading, lost }: { readonly reading: Reading; readonly lost: FormatWarning }): LonghaulError {
  return new LonghaulError({
    code: 'nothing-left',
    message: `Nothing of this ${reading.format} session can be read; line ${lost.line} is the first that is damaged.`,
    hint: 'See whether there is another copy of it.',
  });
}

/** A failure of the file, as opposed to one of the store. */
class Unreadable extends Error {}

async function* unreadable(entries: AsyncIterable<Entry | Beside>): AsyncGenerator<Entry | Beside> {
  try {
    yield* entries;
  } catch (cause) {
    throw new Unreadable('The file cannot be read.', { cause });
  }
}
