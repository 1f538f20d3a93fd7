import type { SessionId } from 'longhaul/session';

/** Characters of a short id. */
const defaultLength = 8;

/** Ids up to this length are chosen by people, e.g. `port-billing`, and are not shortened. */
const longestWhole = 16;

/**
 * The end of an id, which every command accepts in its place. The start of an id is a time, so sessions of one day have it
 * in common; the end is random. It is longer than defaultLength if another session in `all` has the same end.
 *
 * @example
 * shortId({ id: '01a1e549-442d-737e-8a67-ff7e4ce81e79' }); // '4ce81e79'
 */
export function shortId({ id, all = [] }: { readonly id: SessionId; readonly all?: Iterable<SessionId> }): string {
  if (id.length <= longestWhole) return id;
  let length = defaultLength;
  for (const other of all) {
    if (other !== id) while (length < id.length && other.endsWith(id.slice(-length))) length += 1;
  }
  const end = id.slice(-length);
  // A separator at the start would look like a flag.
  return end.startsWith('-') ? id.slice(-length - 1) : end;
}
