import type { SessionId } from 'longhaul/session';
import { isRecord } from '../input/is-record.ts';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';
import { writeWhole } from '../output/write-whole.ts';

/** The state of a file when it was last imported. */
interface ImportNote {
  readonly session: SessionId;
  /** As returned by `ImportSource.state`. */
  readonly state: string;
}

/**
 * Remembers which files were imported as which session, so that a scan can list changed files without reading them. It is
 * only a cache: if it is lost or overwritten, the next import finds nothing new.
 */
export interface ImportLedger {
  readonly noteOf: (path: string) => ImportNote | undefined;
  readonly add: (input: ImportNote & { readonly path: string }) => void;
  /** Forgets deleted sessions. */
  readonly forget: (sessions: readonly SessionId[]) => void;
  /** Saves additions and removals. */
  readonly save: () => Promise<void>;
}

/**
 * @example
 * const ledger = await openLedger({ io, dir: '/home/me/.local/share/longhaul' });
 * ledger.noteOf('/home/me/chat.jsonl')?.session;
 */
export async function openLedger({
  io,
  dir,
}: {
  readonly io: Pick<Io, 'files' | 'platform' | 'unique'>;
  /** The folder of the store. */
  readonly dir: string;
}): Promise<ImportLedger> {
  const path = pathOf(io).join(dir, 'imports.json');
  const notes = await read();
  const added = new Map<string, ImportNote>();
  const forgotten = new Set<SessionId>();
  return {
    noteOf: (file) => added.get(file) ?? notes.get(file),
    add: ({ path: file, session, state }) => void added.set(file, { session, state }),
    forget: (sessions) => sessions.forEach((session) => void forgotten.add(session)),
    async save() {
      if (added.size === 0 && ![...notes.values()].some(({ session }) => forgotten.has(session))) return;
      // Another import may have saved its own notes meanwhile.
      const all = [...(await read()), ...added].filter(([, { session }]) => !forgotten.has(session));
      const text = `${JSON.stringify({ files: Object.fromEntries(all) })}\n`;
      await writeWhole({ io, path, name: path, text, replace: true, mode: 0o600 }).catch(() => undefined);
    },
  };

  async function read(): Promise<ReadonlyMap<string, ImportNote>> {
    try {
      const pieces = await Array.fromAsync(io.files.read(path));
      const value: unknown = JSON.parse(Buffer.concat(pieces).toString('utf8'));
      const files = isRecord(value) && isRecord(value.files) ? Object.entries(value.files) : [];
      return new Map(files.flatMap(([file, note]) => (isNote(note) ? [[file, note]] : [])));
    } catch {
      return new Map();
    }
  }
}

function isNote(value: unknown): value is ImportNote {
  return isRecord(value) && typeof value.session === 'string' && typeof value.state === 'string';
}
