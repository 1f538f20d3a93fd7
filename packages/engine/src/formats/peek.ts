import type { Entry, SessionId } from '../session/index.ts';
import { firstSummary, summaryAfter } from '../session/internal.ts';
import { sessionOf } from './import/identity.ts';
import { defaultLimits, type ImportLimits, openSessionFile } from './open.ts';
import type { ImportFormat, ParsedSession } from './parsed-session.ts';
import { createWarnings } from './warnings.ts';

/** What the beginning of a file tells of the session in it. */
export interface SessionPeek {
  readonly format: ImportFormat;
  /** The session that an import makes of it. */
  readonly session: SessionId;
  /** The session's own id in its format. */
  readonly key: string;
  readonly cwd: string | undefined;
  readonly createdAt: number | undefined;
  /** Its name, or the first words of a human in it. */
  readonly title: string | undefined;
}

/** A title is near the beginning of a session, so reading stops here. */
const mostEntries = 1000;

/**
 * Looks at a session file without importing it. The first kilobytes are enough for formats with a record a line; a
 * file that is one JSON value has to be given whole.
 *
 * @example
 * const { format, title } = await peekSession({ bytes: createReadStream('chat.jsonl', { end: 65_535 }) });
 */
export async function peekSession({
  bytes,
  path,
  limits = defaultLimits,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Where the file is; databases have to be opened there. */
  readonly path?: string;
  readonly limits?: ImportLimits;
}): Promise<SessionPeek> {
  const parsed = await openSessionFile({ bytes, limits, warnings: createWarnings(), ...(path && { path }) });
  const { format, key, header } = parsed;
  return {
    format,
    session: sessionOf(parsed),
    key,
    cwd: header.cwd,
    createdAt: header.createdAt,
    title: await titleOf(parsed),
  };
}

async function titleOf({ header, entries }: ParsedSession): Promise<string | undefined> {
  const { name } = header;
  let summary = firstSummary({ v: 1, id: '', createdAt: 0, ...(name !== undefined && { name }) });
  if (summary.name !== undefined) return summary.name;
  let read = 0;
  try {
    for await (const piece of entries({ createdAt: 0 })) {
      if (isMainEntry(piece)) summary = summaryAfter(summary, piece);
      read += 1;
      if (summary.name !== undefined || summary.title !== undefined || read === mostEntries) break;
    }
  } catch {
    // A partial file may end anywhere; its format is already known.
  }
  return summary.name ?? summary.title;
}

function isMainEntry(piece: Entry | { readonly embedded: unknown }): piece is Entry {
  return !('embedded' in piece);
}
