import type { JsonObject } from '../../json.ts';
import type { Entry, Head, SessionHeader } from '../../session/index.ts';
import { writeEntry } from '../../session/internal.ts';

/**
 * A session as JSON lines of our own: a header, then every entry as it is in the log, with its id and handle. The header
 * says how many entries follow, so that a file that was cut short at a line's end is told from a whole one.
 *
 * @example
 * for await (const line of writeOwn({ header, head, entries })) stream.write(`${JSON.stringify(line)}\n`);
 */
export async function* writeOwn({
  header,
  head,
  entries,
}: {
  readonly header: SessionHeader;
  readonly head: Head;
  readonly entries: AsyncIterable<Entry>;
}): AsyncGenerator<JsonObject> {
  const { v, id, createdAt, name, cwd, parent, owner, source, details, ...more } = header;
  // In one order, whatever the order in which the header was made, so that equal sessions are equal files.
  const facts = { v, id, createdAt, name, cwd, parent, owner, source, details, ...more } as unknown as JsonObject;
  yield { type: 'session', format: 'longhaul', ...facts, entries: head.count };
  for await (const entry of entries) yield writeEntry(entry);
}
