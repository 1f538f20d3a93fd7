import type { Entry, EntryId, EntryTree } from 'longhaul/session';
import { isEpochOf } from './shown-entry.ts';

/** Entries shown at the ends of a long straight run. */
const shownAtEnds = 4;

/** A straight run of nodes, and what branches off at its end. */
interface EntryRun {
  readonly nodes: readonly Entry[];
  readonly branches: readonly Entry[];
}

/** A node of the tree with its place in the drawing; a number is how many entries of a straight run are left out. */
export interface DrawnNode {
  readonly node: Entry | number;
  /** Lines that connect it to its branch. */
  readonly indent: string;
  /** How many branches deep it is. */
  readonly depth: number;
}

/**
 * The nodes of a session's tree in the order of drawing. A straight run of entries is not indented; each branch is, under
 * the entry it leaves from. Iterative, so that a session of any length can be drawn.
 *
 * @example
 * for (const { node, indent } of walkTree({ tree, leaf, isFull: false })) draw(indent, node);
 */
export function* walkTree({
  tree,
  leaf,
  isFull,
}: {
  readonly tree: EntryTree;
  readonly leaf: EntryId | null;
  /** Whether system messages and long runs are included. */
  readonly isFull: boolean;
}): Generator<DrawnNode> {
  const here = shownAs({ tree, id: leaf });
  const open: { readonly node: Entry; readonly first: string; readonly rest: string; readonly depth: number }[] = [];
  const branch = (nodes: readonly Entry[], indent: string, depth: number): void => {
    nodes.toReversed().forEach((node, fromLast) => {
      const isAlone = nodes.length === 1 && indent === '';
      const [first, rest] = isAlone ? ['', ''] : fromLast === 0 ? ['└─ ', '   '] : ['├─ ', '│  '];
      open.push({ node, first: indent + first, rest: indent + rest, depth: isAlone ? depth : depth + 1 });
    });
  };
  branch(tree.roots, '', 0);
  for (let next = open.pop(); next; next = open.pop()) {
    const { nodes, branches } = runFrom({ tree, node: next.node });
    let indent = next.first;
    const { depth } = next;
    const shown = nodes.filter(
      (node) => shownAs({ tree, id: node.id }) === node.id && (isFull || !isHidden({ tree, leaf: here, node })),
    );
    for (const node of shortened({ nodes: shown, isFull, keep: (entry) => isLandmark({ tree, leaf: here, entry }) })) {
      yield { node, indent, depth };
      indent = next.rest;
    }
    branch(branches, next.rest, depth);
  }
}

/** From a node on, as long as it has one child. */
function runFrom({ tree, node }: { readonly tree: EntryTree; readonly node: Entry }): EntryRun {
  const nodes = [node];
  for (let last = node; ; ) {
    const [only, second] = tree.children(last.id);
    if (!only || second) return { nodes, branches: tree.children(last.id) };
    nodes.push(only);
    last = only;
  }
}

/** The nodes of a run, with a number in place of omitted ones. */
function* shortened({
  nodes,
  isFull,
  keep,
}: {
  readonly nodes: readonly Entry[];
  readonly isFull: boolean;
  readonly keep: (entry: Entry) => boolean;
}): Generator<Entry | number> {
  let hidden = 0;
  for (const [index, node] of nodes.entries()) {
    const isEnd = index < shownAtEnds || index >= nodes.length - shownAtEnds;
    if (!isFull && !isEnd && nodes.length > shownAtEnds * 2 + 1 && !keep(node)) {
      hidden += 1;
      continue;
    }
    if (hidden > 0) yield hidden;
    hidden = 0;
    yield node;
  }
}

/** Nodes that are always drawn: names, compactions, the current position. */
function isLandmark(of: { readonly tree: EntryTree; readonly leaf: EntryId | null; readonly entry: Entry }): boolean {
  const { tree, leaf, entry } = of;
  return (
    tree.labels.has(entry.id) || entry.type === 'compaction' || entry.type === 'branch_summary' || entry.id === leaf
  );
}

/** System messages and what the engine appends before the first prompt; a name or the current position shows them. */
function isHidden(of: { readonly tree: EntryTree; readonly leaf: EntryId | null; readonly node: Entry }): boolean {
  const { tree, leaf, node } = of;
  if (isLandmark({ tree, leaf, entry: node })) return false;
  if (node.type === 'message') return node.message.role === 'system';
  if (node.type === 'epoch') return node.reason === 'head';
  if (node.type !== 'model_change' && node.type !== 'thinking_change') return false;
  const parent = node.parentId === null ? undefined : tree.byId.get(node.parentId);
  return parent === undefined || isHidden({ tree, leaf, node: parent });
}

/** An epoch that was appended with a compaction, prune or edit is drawn together with it. */
export function shownAs({ tree, id }: { readonly tree: EntryTree; readonly id: EntryId | null }): EntryId | null {
  const epoch = id === null ? undefined : tree.byId.get(id);
  const parent = epoch?.parentId ? tree.byId.get(epoch.parentId) : undefined;
  return epoch && parent && isEpochOf({ epoch, parent }) ? parent.id : id;
}

export function pathTo({
  tree,
  leaf,
}: {
  readonly tree: EntryTree;
  readonly leaf: EntryId | null;
}): ReadonlySet<EntryId> {
  const path = new Set<EntryId>();
  for (let id = leaf; id !== null && !path.has(id); ) {
    path.add(id);
    id = tree.byId.get(id)?.parentId ?? null;
  }
  return path;
}
