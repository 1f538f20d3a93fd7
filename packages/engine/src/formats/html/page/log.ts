import type { PageEntry, PageSession } from '../shape.ts';

/** The session of the page: its entries, and how they hang together. */
export interface Log {
  readonly session: PageSession;
  /** All entries in order. */
  readonly entries: readonly PageEntry[];
  readonly get: (handle: number) => PageEntry | undefined;
  /** The nodes that stand on a node, oldest first; `null` for the roots. */
  readonly children: (handle: number | null) => readonly number[];
  /** The notes that were taken at a node. */
  readonly notes: (handle: number | null) => readonly PageEntry[];
  /** Notes about a node, wherever they were taken. */
  readonly about: (handle: number) => readonly PageEntry[];
  /** From a root to a node, both included. */
  readonly pathTo: (handle: number | null) => readonly PageEntry[];
  /** The end of the path through a node: the leaf of the session if it is on that path, else the newest end. */
  readonly tipOf: (handle: number) => number;
}

/** Reads the data blocks of the document. */
export function readLog(): Log {
  const blocks = (name: string) =>
    [...document.querySelectorAll(`script[data-name="${name}"]`)].map((block) => JSON.parse(block.textContent ?? ''));
  const [session] = blocks('session') as PageSession[];
  if (!session) throw new Error('The page has no session in it.');
  return createLog({ session, entries: (blocks('entries') as PageEntry[][]).flat() });
}

function createLog({
  session,
  entries,
}: {
  readonly session: PageSession;
  readonly entries: readonly PageEntry[];
}): Log {
  const byHandle = new Map(entries.map((entry) => [entry.handle, entry]));
  const children = new Map<number | null, number[]>();
  const notes = new Map<number | null, PageEntry[]>();
  const about = new Map<number, PageEntry[]>();
  for (const entry of entries) {
    if (entry.isNode) push(children, entry.parent, entry.handle);
    else push(notes, entry.parent, entry);
    if (!entry.isNode && entry.target !== undefined) push(about, entry.target, entry);
  }
  const onPath = new Set(pathTo(session.leaf).map(({ handle }) => handle));
  return {
    session,
    entries,
    get: (handle) => byHandle.get(handle),
    children: (handle) => children.get(handle) ?? [],
    notes: (handle) => notes.get(handle) ?? [],
    about: (handle) => about.get(handle) ?? [],
    pathTo,
    tipOf(handle) {
      if (session.leaf !== null && onPath.has(handle)) return session.leaf;
      let tip = handle;
      for (let next = children.get(tip)?.at(-1); next !== undefined; next = children.get(tip)?.at(-1)) tip = next;
      return tip;
    },
  };

  /** A parent is older than its child, so this ends. */
  function pathTo(handle: number | null): PageEntry[] {
    const path: PageEntry[] = [];
    for (let at = handle; at !== null; ) {
      const entry = byHandle.get(at);
      if (!entry) break;
      path.push(entry);
      at = entry.parent !== null && entry.parent < at ? entry.parent : null;
    }
    return path.reverse();
  }
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
