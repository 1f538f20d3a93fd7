import { type Entry, type EntryId, nodeTypes } from '../../session/index.ts';

/** An entry that can be appended after those before it; what was done to it, if anything was. */
export interface Mended {
  /** `undefined` where nothing of it can stand. */
  readonly entry: Entry | undefined;
  readonly how?: string;
}

/**
 * Closes the gap that an entry leaves which cannot be read: what stood on it stands on the leaf before, as it would have
 * if the missing one had never been, and what names it names it no more.
 *
 * @example
 * const mend = createMender();
 * const { entry } = mend(readEntry({ value }).entry);
 */
export function createMender(): (entry: Entry) => Mended {
  const epochs = new Map<EntryId, EntryId | null>();
  let leaf: EntryId | null = null;
  return (given) => {
    const { entry, how } = fitted(given);
    if (entry?.type === 'leaf') leaf = entry.target;
    if (entry && nodeTypes.has(entry.type)) {
      epochs.set(entry.id, entry.epoch);
      leaf = entry.id;
    }
    return how === undefined ? { entry } : { entry, how };
  };

  function fitted(entry: Entry): Mended {
    if (entry.type === 'leaf' && entry.target !== null && !epochs.has(entry.target)) {
      return { entry: undefined, how: 'moves to an entry that is missing, and was left out' };
    }
    if (entry.type === 'epoch' && 'restore' in entry.items) {
      const { node, after } = entry.items.restore;
      const isThere = (node === null || epochs.has(node)) && epochs.has(after);
      if (!isThere) return { entry: undefined, how: 'restores what is missing, and was left out' };
    }
    const placed = isPlaced(entry) ? inEpoch(entry) : inEpoch({ ...entry, parentId: leaf });
    const full = placed.type === 'epoch' ? withoutMissing(placed) : placed;
    if (full !== placed) return { entry: full, how: 'sends entries that are missing; they were left out of it' };
    if (placed !== entry)
      return { entry: placed, how: 'hung on an entry that is missing; it was put on the one before' };
    return { entry };
  }

  function isPlaced({ parentId }: Entry): boolean {
    return parentId === null || epochs.has(parentId);
  }

  /** The epoch of its path, which is another where the entry that opened it is missing. */
  function inEpoch(entry: Entry): Entry {
    const ofPath = entry.parentId === null ? null : (epochs.get(entry.parentId) ?? null);
    const epoch = entry.type === 'epoch' ? entry.id : ofPath;
    return epoch === entry.epoch ? entry : { ...entry, epoch };
  }

  function withoutMissing(entry: Extract<Entry, { type: 'epoch' }>): Entry {
    if (!('list' in entry.items)) return entry;
    const { list } = entry.items;
    const kept = list.filter((item) => !('entry' in item) || epochs.has(item.entry));
    return kept.length === list.length ? entry : { ...entry, items: { list: kept } };
  }
}
