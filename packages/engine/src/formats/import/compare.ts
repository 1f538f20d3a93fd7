import { isObject } from '../../json.ts';
import { type Entry, type EntryId, type Head, nodeTypes, type SessionId, type Store } from '../../session/index.ts';

/** How far the store has what the file has: its first so many entries. */
export interface Agreement {
  readonly shared: number;
  /** Where the log stood when this was found out. */
  readonly head: Head;
}

/** Compares the entries of a file, one after the other, with a log in the store. */
export interface Comparison {
  take(entry: Entry): Promise<void>;
  /** `undefined` where the log has gone another way than the file. */
  agreement(): Agreement | undefined;
}

const page = 500;

/**
 * The id of an imported entry is a hash of everything before it, so equal ids mean equal logs up to there. Entries in
 * the store that are not from the file do not count: notes (labels, names, usage), and the last answer of a file that
 * was still being written, which the file now contains in full.
 */
export function createComparison({
  store,
  session,
  head,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly head: Head;
}): Comparison {
  const stored = entriesOf({ store, session });
  const aside = new Set<EntryId>();
  let shared = 0;
  let state: 'alike' | 'beyond' | 'apart' = 'alike';
  let next: Entry | undefined;
  return {
    async take(entry) {
      if (state !== 'alike') return;
      for (;;) {
        next ??= await following();
        if (!next) {
          state = 'beyond';
          return;
        }
        const current = next;
        next = undefined;
        if (current.id === entry.id) {
          shared += 1;
          return;
        }
        if (current.type === 'leaf') {
          next = await following();
          // A move that an earlier import appended to continue at the file's leaf.
          if (next?.id === entry.id) continue;
          state = 'apart';
          return;
        }
        if (!isAside(current)) {
          state = 'apart';
          return;
        }
        aside.add(current.id);
      }
    },
    agreement: () => (state === 'apart' ? undefined : { shared, head }),
  };

  async function following(): Promise<Entry | undefined> {
    const { done, value } = await stored.next();
    return done ? undefined : value;
  }

  function isAside(entry: Entry): boolean {
    if (!nodeTypes.has(entry.type)) return true;
    if (entry.parentId !== null && aside.has(entry.parentId)) return true;
    return isUnfinished(entry);
  }
}

/** Whether an entry was read from a file that may still say more of it. Readers mark such a message in its details. */
export function isUnfinished(entry: Entry): boolean {
  return entry.type === 'message' && isObject(entry.details) && entry.details.unfinished === true;
}

async function* entriesOf({
  store,
  session,
}: {
  readonly store: Store;
  readonly session: SessionId;
}): AsyncGenerator<Entry> {
  for (let after = 0; ; ) {
    const entries = await store.read({ session, query: { after, limit: page } });
    yield* entries;
    const newest = entries.at(-1);
    if (!newest) return;
    after = newest.handle;
  }
}
