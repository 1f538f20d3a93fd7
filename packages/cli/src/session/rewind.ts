import {
  type FileRewind,
  type FileVersions,
  findFileRewind,
  openFileVersions,
  rewindFiles,
  undoFileRewind,
} from 'longhaul/agent';
import type { EntryId, Moved, Reversal, Session, SessionHeader } from 'longhaul/session';
import type { Io } from '../io/io.ts';
import { pathOf } from '../io/path-of.ts';

/** What a rewind takes back. */
export type RewindScope = 'conversation' | 'files' | 'both';

/**
 * The earlier versions of files that a session keeps. A copy of a session can also read those of its origin.
 *
 * @example
 * const versions = versionsOf({ io, dir, header });
 */
export function versionsOf({
  io,
  dir,
  header,
}: {
  readonly io: Pick<Io, 'platform'>;
  /** The folder of the store. */
  readonly dir: string;
  readonly header: Pick<SessionHeader, 'id' | 'parent'>;
}): FileVersions {
  const folder = (id: string) => pathOf(io).join(dir, 'sessions', id, 'files');
  return openFileVersions({ dir: folder(header.id), others: header.parent ? [folder(header.parent.session)] : [] });
}

/** What came of a rewind. */
export interface Rewound {
  readonly moved?: Moved;
  readonly files?: FileRewind;
}

/**
 * Takes a session back to an entry: its conversation, the files that the agent changed since, or both. A dry run of files
 * changes nothing. Used by the command and by `/rewind`.
 *
 * @example
 * const { files } = await rewindSession({ live, versions, to: entry, scope: 'both', isDryRun: false });
 */
export async function rewindSession({
  live,
  versions,
  to,
  scope,
  isDryRun,
}: {
  readonly live: Session;
  readonly versions: FileVersions;
  /** `null` is before the first entry. */
  readonly to: { readonly id: EntryId; readonly handle: number } | null;
  readonly scope: RewindScope;
  readonly isDryRun: boolean;
}): Promise<Rewound> {
  const moved = scope === 'files' || isDryRun ? undefined : await live.rewind({ to: to?.id ?? null });
  if (scope === 'conversation') return { ...(moved && { moved }) };
  const leaf = moved?.entry?.id;
  const files = await rewindFiles({ session: live, versions, to: to?.handle ?? 0, isDryRun, leaf });
  return { ...(moved && { moved }), files };
}

/**
 * Undoes the newest action of a session: a compaction, prune, edit, move or rewind; a rewind of both with its files.
 *
 * @example
 * const { reversal, files } = await undoNewest({ live, versions });
 */
export async function undoNewest({
  live,
  versions,
}: {
  readonly live: Session;
  readonly versions: FileVersions;
}): Promise<{ readonly reversal?: Reversal; readonly files?: FileRewind }> {
  const newest = await findFileRewind(live);
  const action = (await live.history()).done.at(-1);
  const isFiles = newest && newest.snapshot.handle > (action?.doneBy.handle ?? 0);
  if (!isFiles) return { reversal: await live.undo() };
  const files = await undoFileRewind({ session: live, versions });
  const isPair = newest.leaf !== undefined && newest.leaf === action?.entry.id;
  return { files, ...(isPair && { reversal: await live.undo() }) };
}

/** At most this many files are listed in text. */
const mostLines = 50;

/**
 * A rewind of files as text.
 *
 * @example
 * for (const line of fileLines({ files, isDryRun: false, shown: (path) => path })) console.log(line);
 */
export function fileLines({
  files: { restored, skipped, untrackedCommands },
  isDryRun,
  shown,
}: {
  readonly files: FileRewind;
  readonly isDryRun: boolean;
  /** How a path is printed. */
  readonly shown: (path: string) => string;
}): string[] {
  const lines = [
    ...restored.map(({ path, action }) => `${isDryRun ? 'would be ' : ''}${action}: ${shown(path)}`),
    ...skipped.map(({ path, why }) => `left alone: ${shown(path)}: ${why}`),
  ];
  const rest = lines.length - mostLines;
  const commands = `${untrackedCommands} ${untrackedCommands === 1 ? 'command' : 'commands'}`;
  return [
    ...(lines.length === 0 ? ['no files to rewind'] : lines.slice(0, mostLines)),
    ...(rest > 0 ? [`… and ${rest} more; --json lists all`] : []),
    ...(untrackedCommands > 0 ? [`not rolled back: files that ${commands} may have changed without naming them`] : []),
  ];
}
