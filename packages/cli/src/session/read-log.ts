import { type Entry, type SessionId, type Store, upgradeEntry } from 'longhaul/session';

const page = 1000;

/**
 * The entries of a log in pages, so that a long one need not fit into memory.
 *
 * @example
 * for await (const entry of readLog({ store, session })) count += 1;
 */
export async function* readLog({
  store,
  session,
  from = 1,
  to = Number.POSITIVE_INFINITY,
}: {
  readonly store: Store;
  readonly session: SessionId;
  /** The first handle. */
  readonly from?: number;
  /** The last handle. */
  readonly to?: number;
}): AsyncGenerator<Entry> {
  for (let after = from - 1; after < to; ) {
    const entries = await store.read({ session, query: { after, limit: page } });
    for (const entry of entries) if (entry.handle <= to) yield upgradeEntry(entry);
    const newest = entries.at(-1);
    if (!newest) return;
    after = newest.handle;
  }
}
