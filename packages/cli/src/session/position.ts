import { LonghaulError } from 'longhaul';
import { type Entry, parseHandle, type SessionId, type Store } from 'longhaul/session';
import { isEpochOf } from './shown-entry.ts';

/**
 * The entry for a handle on the command line. The `@` is optional, since some shells treat it specially.
 *
 * @example
 * const entry = await entryAt({ store, session, written: '@12' });
 */
export async function entryAt({
  store,
  session,
  written,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly written: string;
}): Promise<Entry> {
  const number = entryNumber(written);
  const [entry] = await store.read({ session, query: { handles: [number] } });
  if (entry) return entry;
  const { last } = await store.head(session);
  throw new LonghaulError({
    code: 'entry-missing',
    message: `The session has no entry @${number}; its newest is @${last}.`,
    hint: 'Run `longhaul tree SESSION` to list its entries.',
  });
}

/**
 * The position for a handle; `root` is before the first entry. A compaction, prune or edit means the position after it
 * took effect, i.e. the epoch appended with it.
 */
export async function placeAt(input: {
  readonly store: Store;
  readonly session: SessionId;
  readonly written: string;
}): Promise<Entry | null> {
  if (input.written === 'root') return null;
  const entry = await entryAt(input);
  const [next] = await input.store.read({ session: input.session, query: { handles: [entry.handle + 1] } });
  return next && isEpochOf({ epoch: next, parent: entry }) ? next : entry;
}

/** The number of an entry: `@12` or `12`. */
export function entryNumber(written: string): number {
  const handle = parseHandle(withSign(written));
  if (handle.part === undefined && handle.lines === undefined) return handle.entry;
  throw new LonghaulError({
    code: 'bad-handle',
    message: `${written} is a part or a range of lines, but a whole entry is needed here.`,
    hint: `Use @${handle.entry}.`,
  });
}

/** A handle with `@`, as the engine expects it. */
export function withSign(written: string): string {
  return /^[0-9]/.test(written) ? `@${written}` : written;
}
