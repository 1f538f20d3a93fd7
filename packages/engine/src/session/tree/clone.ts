import { type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import { type Lookup, pathOf, walkUp } from './walk.ts';

/**
 * The entries of a clone: the path to a leaf, what its epochs send and restore, and the notes that concern any of that.
 * Ids and handles stay, so that handles told to the model still mean the same. Where a parent is left out the entry is
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
