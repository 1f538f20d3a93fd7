import { LonghaulError } from 'longhaul';
import { type Entry, parseHandle, type SessionId, type Store } from 'longhaul/session';
import { isEpochOf } from './shown-entry.ts';

/**
 * The entry that a handle on the command line names. `@` may be left out, since some shells make something of it.
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
    message: `the session has no entry @${number}; its newest is @${last}.`,
    hint: 'Run `longhaul tree SESSION` to see its entries.',
  });
}

/**
 * The place that a word names: `root` is before the first entry. At a compaction, prune or edit means after it took
 * effect, so at the epoch that was appended with it.
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
    message: `${written} names a part or lines of an entry, and a whole entry is wanted here.`,
    hint: `Write @${handle.entry}.`,
  });
}

/** A handle with its sign, as the engine wants it. */
export function withSign(written: string): string {
  return /^[0-9]/.test(written) ? `@${written}` : written;
}
