import { type Entry, type EntryId, nodeTypes } from '../entry/entry.ts';
import { createLogCheck } from './check.ts';
import type { LogProblem } from './problem.ts';

/** The whole log of a session as a tree. */
export interface EntryTree {
  readonly byId: ReadonlyMap<EntryId, Entry>;
  /** Nodes without a parent. One whose parent is missing or not older counts as a root, so that nothing is out of sight. */
  readonly roots: readonly Entry[];
  /** The newest name of each entry that has one. */
  readonly labels: ReadonlyMap<EntryId, string>;
  /** The leaf according to the log: the newest node, unless the leaf was moved since. */
  readonly leaf: EntryId | null;
  readonly problems: readonly LogProblem[];
  /** The nodes that stand on a node, oldest first. */
  children(id: EntryId): readonly Entry[];
  /** The notes that were taken while the session stood on a node, oldest first. */
  notes(id: EntryId | null): readonly Entry[];
}

/**
 * Makes a tree of a log, in one pass, whatever is wrong with the log: what is wrong is in `problems`.
 *
 * @example
 * const tree = createTree({ entries: await session.read({ after: 0 }) });
 * for (const root of tree.roots) console.log(root.handle, tree.children(root.id).length);
 */
export function createTree({ entries }: { readonly entries: readonly Entry[] }): EntryTree {
  const byId = new Map<EntryId, Entry>();
  const check = createLogCheck();
  // The first of two entries with one id stays: what came later cannot be what others stand on.
  const ordered = entries.toSorted((a, b) => a.handle - b.handle);
  for (const entry of ordered) {
    check.add(entry);
    if (!byId.has(entry.id)) byId.set(entry.id, entry);
  }

  const roots: Entry[] = [];
  const children = new Map<EntryId, Entry[]>();
  const notes = new Map<EntryId | null, Entry[]>();
  const labels = new Map<EntryId, string>();
  let leaf: EntryId | null = null;
  for (const entry of byId.values()) {
    const { parentId } = entry;
    const parent = parentId === null ? undefined : byId.get(parentId);
    if (nodeTypes.has(entry.type)) {
      leaf = entry.id;
      const isUnder = parent !== undefined && parent.handle < entry.handle;
      if (isUnder) push(children, parent.id, entry);
      else roots.push(entry);
      continue;
    }
    push(notes, parentId, entry);
    if (entry.type === 'leaf') leaf = entry.target;
    if (entry.type === 'label') {
      if (entry.label === null || entry.label === '') labels.delete(entry.target);
      else labels.set(entry.target, entry.label);
    }
  }
  return {
    byId,
    roots,
    labels,
    leaf,
    problems: check.finish(),
    children: (id) => children.get(id) ?? [],
    notes: (id) => notes.get(id) ?? [],
  };
}

function push<K>(lists: Map<K, Entry[]>, key: K, entry: Entry): void {
  const list = lists.get(key);
  if (list) list.push(entry);
  else lists.set(key, [entry]);
}
