import { createMask } from '../../analysis/index.ts';
import { LonghaulError } from '../../errors.ts';
import type { LiveTranscript } from '../../formats/index.ts';
import { createLiveTranscript } from '../../formats/internal.ts';
import { isObject, type Json, parseJson } from '../../json.ts';
import type { Entry, Session } from '../../session/index.ts';
import { coalesce } from '../coalesce.ts';
import { type LineFile, openLineFile } from './line-file.ts';

/** How far a transcript has come. */
export interface TranscriptState {
  readonly path: string;
  /** The lines that are in the file. Their numbers never change. */
  readonly lines: number;
  /** Why what is new could not be written. It is tried again the next time. */
  readonly failure?: string;
}

/** A transcript that grows with its session. It stops nothing: the log has everything it has. */
export interface Transcript {
  readonly state: TranscriptState;
  /** Writes what is new now. */
  flush(): Promise<TranscriptState>;
  /** Writes what is new and lets go of the session. The file stays. */
  close(): Promise<TranscriptState>;
}

/** What is new is written so many milliseconds later: a turn does not wait for it, and several entries are one write. */
const delay = 1000;

/** So many entries are read at once. */
const page = 200;

/**
 * Keeps a readable transcript of a session up to date, as JSON lines in the envelope of VS Code's chat: with tool results
 * and compactions, and masked. It goes on where a file broke off, however it did.
 *
 * @example
 * const transcript = await followTranscript({ session: session.session, file: '/repo/.longhaul/session.jsonl' });
 * const { lines } = await transcript.flush();
 */
export async function followTranscript({
  session,
  file: path,
  secrets = [],
  onFailure,
  disk = openLineFile(path),
}: {
  readonly session: Session;
  readonly file: string;
  /** Values that are masked, in addition to detected keys. */
  readonly secrets?: readonly string[];
  readonly onFailure?: (why: string) => void;
  readonly disk?: LineFile;
}): Promise<Transcript> {
  const mask = createMask({ values: secrets, salt: session.id });
  let writing = await begin();
  let state: TranscriptState = { path, lines: 0 };
  // A file that cannot be written is an error at once.
  await write();
  state = { path, lines: writing.written };
  const writes = coalesce(attempt);
  let timer: NodeJS.Timeout | undefined;
  const run = () => {
    clearTimeout(timer);
    timer = undefined;
    return writes.run();
  };
  const stop = session.watch(() => {
    timer ??= setTimeout(run, delay).unref();
  });
  return {
    get state() {
      return state;
    },
    flush: run,
    async close() {
      stop();
      return await run();
    },
  };

  async function begin(): Promise<Writing> {
    const first = createLiveTranscript({ header: session.header, mask }).begin();
    const resumed = await resume({ file: disk, path, first: first.slice(0, first.indexOf('\n')) });
    const transcript = createLiveTranscript({ header: session.header, mask, known: resumed.ids });
    return { transcript, resumed, end: resumed.end, pending: transcript.begin(), cursor: 0, written: 0 };
  }

  async function attempt(): Promise<TranscriptState> {
    try {
      // Another process changed or removed it, or our own last write was incomplete.
      if ((await disk.size()) !== writing.end) writing = await begin();
      await write();
      state = { path, lines: writing.written };
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      state = { path, lines: state.lines, failure };
      onFailure?.(failure);
    }
    return state;
  }

  async function write(): Promise<void> {
    for (;;) {
      await put();
      const entries = await session.read({ after: writing.cursor, limit: page });
      const ready = withoutHalf(entries);
      if (ready.length === 0) break;
      for (const [index, entry] of ready.entries()) {
        writing.pending += writing.transcript.take({ entry, next: entries[index + 1] });
        writing.cursor = entry.handle;
      }
    }
    // A log that was set back knows less than the file: the two would tell different stories under the same numbers.
    if (writing.transcript.lines < writing.resumed.ids.length) throw foreign(path);
    // What was torn and has nothing new in its place.
    if ((await disk.size()) > writing.end) await disk.put({ at: writing.end, text: '' });
  }

  /** Lines are forgotten only when they are in the file: chat loses those of a failed flush (editor.md 10.1). */
  async function put(): Promise<void> {
    const { pending, end, transcript } = writing;
    if (pending !== '') await disk.put({ at: end, text: pending });
    writing.end += Buffer.byteLength(pending);
    writing.pending = '';
    writing.written = transcript.lines;
  }
}

interface Writing {
  readonly transcript: LiveTranscript;
  readonly resumed: Resumed;
  /** The byte after what is in the file. */
  end: number;
  /** Lines that are not in it yet. */
  pending: string;
  /** The last entry that was written. */
  cursor: number;
  written: number;
}

/** A compaction is written with its epoch, which may be on the next page. */
function withoutHalf(entries: readonly Entry[]): readonly Entry[] {
  return entries.at(-1)?.type === 'compaction' ? entries.slice(0, -1) : entries;
}

/** The part of a file that writing can resume after. */
interface Resumed {
  /** The ids of its lines. */
  readonly ids: readonly string[];
  /** The byte after the last of them. The rest of the file is torn and written again. */
  readonly end: number;
}

/**
 * Reads how far a transcript has come. A torn last line, NUL bytes of a power loss and whatever else breaks the chain end
 * it there: the log has all of it. A file that is no transcript of this session is refused and not touched.
 *
 * @example
 * const { ids, end } = await resume({ file, path: 'a.jsonl', first: transcript.begin() });
 */
async function resume({
  file,
  path,
  first,
}: {
  readonly file: LineFile;
  readonly path: string;
  /** The line with which this session's transcript begins. */
  readonly first: string;
}): Promise<Resumed> {
  const ids: string[] = [];
  let end = 0;
  for await (const line of file.lines()) {
    if (ids.length === 0 && !isBegun({ line: line.text, isWhole: line.end !== undefined, first })) throw foreign(path);
    const id = line.end === undefined ? undefined : idOf({ text: line.text, after: ids.at(-1) ?? null });
    if (id === undefined || line.end === undefined) break;
    ids.push(id);
    end = line.end;
  }
  return { ids, end };
}

/** Whether a first line is ours, or the beginning of ours. */
function isBegun(of: { readonly line: string; readonly isWhole: boolean; readonly first: string }): boolean {
  if (!of.isWhole) return of.first.startsWith(of.line.replace(/(?<!\0)\0+$/, ''));
  return sessionIn(parseJson(of.line)) === sessionIn(parseJson(of.first));
}

function sessionIn(event: Json | undefined): Json | undefined {
  if (!isObject(event) || event.type !== 'session.start' || !isObject(event.data)) return undefined;
  return event.data.sessionId;
}

function idOf({ text, after }: { readonly text: string; readonly after: string | null }): string | undefined {
  const event = parseJson(text);
  if (!isObject(event) || typeof event.id !== 'string' || event.parentId !== after) return undefined;
  return event.id;
}

function foreign(path: string): LonghaulError {
  return new LonghaulError({
    code: 'transcript-foreign',
    message: `${path} is no transcript of this session, or of a later state of it. It was not touched.`,
    hint: 'Choose another file.',
  });
}
