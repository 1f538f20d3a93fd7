import { type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import type { Head, SessionHeader, SessionId, Store } from '../store/store.ts';
import { type Lookup, pathOf, walkUp } from '../tree/walk.ts';
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

interface CopySource {
  readonly store: Store;
  readonly from: SessionId;
  /** Of the new session. */
  readonly header: SessionHeader;
  /** The head of `from`. */
  readonly head: Head;
}

/**
 * Copies the whole log of `from` up to `head` into a new session. A copy that fails is taken away again; one
 * that is cut off by a kill is a sound log that ends early, known by `details.copied.last` of its header.
 */
export async function copyAll({ store, from, header, head }: CopySource): Promise<void> {
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
export async function copyPath({ store, from, header, head }: CopySource): Promise<void> {
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

/**
 * The entries of a clone: the path to a leaf, what its epochs send and restore, and the notes that concern any of that.
 * Ids and handles stay, so that handles the model has seen stay valid. Where a parent is left out the entry is
 * chained to the nearest one that is there (pi 0.58 left it dangling: the context fell from 4 messages to 2).
 */
export function cloneOf({
  entries,
  byId,
  leaf,
}: {
  readonly entries: readonly Entry[];
  readonly byId: Lookup;
  readonly leaf: EntryId | null;
}): Entry[] {
  const kept = keptNodes({ byId, leaf });
  const chosen = entries.filter((entry) =>
    nodeTypes.has(entry.type) ? kept.has(entry.id) : concerns({ entry, kept }),
  );
  const cloned = new Map<EntryId, Entry>();
  return chosen.map((entry) => {
    const parent = nearest({ entry, byId, cloned });
    const epoch = entry.type === 'epoch' ? entry.id : (parent?.epoch ?? null);
    const isSame = entry.parentId === (parent?.id ?? null) && entry.epoch === epoch;
    const copy: Entry = isSame ? entry : { ...entry, parentId: parent?.id ?? null, epoch };
    cloned.set(copy.id, copy);
    return copy;
  });
}

/** The nodes of the path, and those that its epochs name: without them the clone would send something else. */
function keptNodes({ byId, leaf }: { readonly byId: Lookup; readonly leaf: EntryId | null }): Set<EntryId> {
  const kept = new Set<EntryId>();
  const waiting: (EntryId | null)[] = [leaf];
  for (let from = waiting.pop(); from !== undefined; from = waiting.pop()) {
    for (const entry of pathOf({ entries: byId, leaf: from }).entries) {
      if (kept.has(entry.id)) continue;
      kept.add(entry.id);
      if (entry.type !== 'epoch') continue;
      if ('restore' in entry.items) waiting.push(entry.items.restore.node);
      else for (const item of entry.items.list) if ('entry' in item) kept.add(item.entry);
    }
  }
  return kept;
}

/** Moves are left out, since a path has only one place to stand: its end. */
function concerns({ entry, kept }: { readonly entry: Entry; readonly kept: ReadonlySet<EntryId> }): boolean {
  switch (entry.type) {
    case 'leaf':
      return false;
    case 'label':
      return kept.has(entry.target);
    case 'session_info':
      return true;
    case 'usage':
      return kept.has(entry.target ?? entry.parentId ?? '');
    default:
      return entry.parentId === null || kept.has(entry.parentId);
  }
}

function nearest({
  entry,
  byId,
  cloned,
}: {
  readonly entry: Entry;
  readonly byId: Lookup;
  readonly cloned: ReadonlyMap<EntryId, Entry>;
}): Entry | undefined {
  const found: { parent?: Entry } = {};
  walkUp({
    entries: byId,
    from: entry.parentId,
    visit: ({ id }) => {
      const parent = cloned.get(id);
      if (!parent || !nodeTypes.has(parent.type)) return undefined;
      found.parent = parent;
      return 'stop';
    },
  });
  return found.parent;
}
