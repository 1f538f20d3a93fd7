import type { Entry, Head, SessionHeader, SessionId, Store } from 'longhaul/session';

/**
 * A store that takes everything and keeps nothing, in front of one that is only read. An import into it does all that a
 * real one does, the comparison with what is there included, and leaves no trace.
 *
 * @example
 * await importSession({ store: dryStore({ store, onEntry: count }), open });
 */
export function dryStore({
  store,
  onEntry,
}: {
  readonly store: Store;
  readonly onEntry: (entry: Entry) => void;
}): Store {
  const created = new Map<SessionId, SessionHeader>();
  const heads = new Map<SessionId, Head>();
  return {
    async create({ header }) {
      created.set(header.id, header);
      heads.set(header.id, { last: 0, count: 0, leaf: null, epoch: null });
    },
    header: async (session) => created.get(session) ?? (await store.header(session)),
    head,
    async append({ session, entries, leaf, epoch }) {
      const { last, count } = await head(session);
      entries.forEach(onEntry);
      const after = { last: entries.at(-1)?.handle ?? last, count: count + entries.length, leaf, epoch };
      heads.set(session, after);
      return after;
    },
    read: async (input) => (created.has(input.session) ? [] : await store.read(input)),
    async delete(session) {
      created.delete(session);
      heads.delete(session);
    },
    list: (query) => store.list(query),
    search: (input) => store.search(input),
    close: async () => undefined,
  };

  async function head(session: SessionId): Promise<Head> {
    return heads.get(session) ?? (await store.head(session));
  }
}
