import type { Entry, EntryId } from '../entry/entry.ts';
import type { Head, SessionHeader, SessionId, Store } from '../store/store.ts';
import { cloneOf } from '../tree/clone.ts';
import { headAfter } from './finalize-entry.ts';

const nothing: Head = { last: 0, count: 0, leaf: null, epoch: null };

/** Every entry up to `last`, page by page, so that a long log need not fit into memory. */
export async function* pages({
  store,
  session,
  last,
  size = 2000,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly last: number;
  /** The entries of a page. */
  readonly size?: number;
}): AsyncGenerator<Entry[]> {
  for (let after = 0; after < last; ) {
    const entries = await store.read({ session, query: { after, limit: size } });
    const wanted = entries.filter(({ handle }) => handle <= last);
    if (wanted.length === 0) return;
    yield wanted;
    after = wanted.at(-1)?.handle ?? last;
  }
}

interface CopyInput {
  readonly store: Store;
  readonly from: SessionId;
  /** Of the new session. */
  readonly header: SessionHeader;
  /** Where `from` stands. */
  readonly head: Head;
}

/**
 * Copies the whole log of `from` as it stands at `head` into a new session. A copy that fails is taken away again; one
 * that is cut off by a kill is a sound log that ends early, known by `details.copied.last` of its header.
 */
export async function copyAll({ store, from, header, head }: CopyInput): Promise<void> {
  await created({ store, header }, async () => {
    let copied = nothing;
    for await (const entries of pages({ store, session: from, last: head.last })) {
      const expect = copied.last;
      const known = await lookupFor({ store, session: from, entries });
      for (const entry of entries) copied = headAfter({ head: copied, entry, entries: known });
      await store.append({ session: header.id, expect, entries, leaf: copied.leaf, epoch: copied.epoch });
    }
  });
}

/** Copies the path to a leaf into a new session. */
export async function copyPath({ store, from, header, head }: CopyInput): Promise<void> {
  const all: Entry[] = [];
  for await (const entries of pages({ store, session: from, last: head.last })) all.push(...entries);
  const entries = cloneOf({ entries: all, byId: new Map(all.map((entry) => [entry.id, entry])), leaf: head.leaf });
  await created({ store, header }, async () => {
    if (entries.length === 0) return;
    await store.append({ session: header.id, expect: 0, entries, leaf: head.leaf, epoch: head.epoch });
  });
}

async function created(
  { store, header }: { readonly store: Store; readonly header: SessionHeader },
  fill: () => Promise<void>,
): Promise<void> {
  await store.create({ header });
  try {
    await fill();
  } catch (error) {
    await store.delete(header.id).catch(() => undefined);
    throw error;
  }
}

/** The entries of a page and those that its moves lead to. */
async function lookupFor({
  store,
  session,
  entries,
}: {
  readonly store: Store;
  readonly session: SessionId;
  readonly entries: readonly Entry[];
}): Promise<Map<EntryId, Entry>> {
  const ids = entries.flatMap((entry) => (entry.type === 'leaf' && entry.target !== null ? [entry.target] : []));
  const targets = ids.length > 0 ? await store.read({ session, query: { ids } }) : [];
  return new Map([...targets, ...entries].map((entry) => [entry.id, entry]));
}
