import type { JsonObject } from '../../json.ts';
import type { Entry } from '../entry/entry.ts';
import { MissingSessionError } from '../store/errors.ts';
import type { SessionId, Store } from '../store/store.ts';
import { writeOwn } from './own/write.ts';
import { writePi } from './pi/write.ts';
import { createWarnings, type FormatWarning } from './report.ts';

/** The formats that can be written. */
export type ExportFormat = 'longhaul' | 'pi';

/** All formats that can be written, in the order in which they are listed to people. */
export const exportFormats: readonly ExportFormat[] = ['longhaul', 'pi'];

/** The lines of a file; what could not be said in its format is known once they were read. */
export interface Exported {
  readonly lines: AsyncIterable<JsonObject>;
  readonly warnings: readonly FormatWarning[];
}

const page = 1000;

/**
 * A session as the JSON lines of a file.
 *
 * @example
 * const { lines } = await exportSession({ store, session, format: 'pi' });
 * for await (const line of lines) file.write(`${JSON.stringify(line)}\n`);
 */
export async function exportSession({
  store,
  session,
  format,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly format: ExportFormat;
}): Promise<Exported> {
  const header = await store.header(session);
  if (!header) throw new MissingSessionError({ session });
  const head = await store.head(session);
  const warnings = createWarnings();
  const entries = allEntries({ store, session, last: head.last });
  const lines = format === 'pi' ? writePi({ header, entries, warnings }) : writeOwn({ header, head, entries });
  return { lines, warnings: warnings.list };
}

/** The log as it is now, page by page; what is appended meanwhile is not part of it. */
async function* allEntries({
  store,
  session,
  last,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly last: number;
}): AsyncGenerator<Entry> {
  for (let after = 0; after < last; ) {
    const entries = await store.read({ session, query: { after, limit: page } });
    for (const entry of entries) if (entry.handle <= last) yield entry;
    const newest = entries.at(-1);
    if (!newest) return;
    after = newest.handle;
  }
}
