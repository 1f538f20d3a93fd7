import { type Entry, type EntryId, type EntryTree, gistOf } from 'longhaul/session';
import { isEpochOf } from '../session/shown-entry.ts';
import { clip } from '../text/clip.ts';
import { count } from '../text/count.ts';
import type { Paint } from '../text/paint.ts';
import { printable } from '../text/printable.ts';

/** Entries on a straight line: the first and last of a long one tell where it comes from and goes to. */
const shownAtEnds = 4;

/** A straight line of nodes, and what branches off at its end. */
interface Run {
  readonly nodes: readonly Entry[];
  readonly branches: readonly Entry[];
}

/**
 * A session's tree in lines. A straight line of entries is not indented; each branch is, under the entry it leaves from.
 * It needs no recursion, so that a session of any length can be drawn.
 *
 * @example
 * for (const line of drawTree({ tree, leaf, paint, width: 100, isFull: false })) console.log(line);
 */
export function* drawTree({
  tree,
  leaf,
  paint,
  width,
  isFull,
}: {
  readonly tree: EntryTree;
  readonly leaf: EntryId | null;
  readonly paint: Paint;
  readonly width: number;
  /** Whether long straight lines are drawn whole. */
  readonly isFull: boolean;
}): Generator<string> {
  const path = pathOf({ tree, leaf });
  const here = shownAs({ tree, id: leaf });
  if (leaf === null) yield `${paint.good('→')} before the first entry`;
  const open: { readonly node: Entry; readonly first: string; readonly rest: string }[] = [];
  const branch = (nodes: readonly Entry[], indent: string): void => {
    nodes.toReversed().forEach((node, fromLast) => {
      const isAlone = nodes.length === 1 && indent === '';
      const [first, rest] = isAlone ? ['', ''] : fromLast === 0 ? ['└─ ', '   '] : ['├─ ', '│  '];
      open.push({ node, first: indent + first, rest: indent + rest });
    });
  };
  branch(tree.roots, '');
  for (let next = open.pop(); next; next = open.pop()) {
    const { nodes, branches } = runFrom({ tree, node: next.node });
    let indent = next.first;
    const shown = nodes.filter(({ id }) => shownAs({ tree, id }) === id);
    for (const node of shortened({ nodes: shown, isFull, keep: (entry) => isLandmark({ tree, leaf: here, entry }) })) {
      yield typeof node === 'number'
        ? `${indent}${paint.faint(`⋮ ${count({ amount: node, of: 'entry' })}`)}`
        : `${indent}${nodeText({ node, tree, path, leaf: here, paint, width: width - indent.length })}`;
      indent = next.rest;
    }
    branch(branches, next.rest);
  }
}

function nodeText({
  node,
  tree,
  path,
  leaf,
  paint,
  width,
}: {
  readonly node: Entry;
  readonly tree: EntryTree;
  readonly path: ReadonlySet<EntryId>;
  readonly leaf: EntryId | null;
  readonly paint: Paint;
  readonly width: number;
}): string {
  const { kind, text } = gistOf(node);
  const label = tree.labels.get(node.id);
  const marks = [
    ...(label === undefined ? [] : [paint.good(`[${printable(label)}]`)]),
    ...(node.id === leaf ? [paint.good('← here')] : []),
  ];
  const length = Math.max(20, width - kind.length - (label?.length ?? 0) - 20);
  const said = printable(clip({ text, length }));
  const handle = `@${node.handle}`;
  const line = `${path.has(node.id) ? paint.strong(handle) : handle} ${kind}  ${said}`.trimEnd();
  return [path.has(node.id) ? line : paint.faint(line), ...marks].join('  ');
}

/** From a node on, as long as one follows the other. */
function runFrom({ tree, node }: { readonly tree: EntryTree; readonly node: Entry }): Run {
  const nodes = [node];
  for (let last = node; ; ) {
    const [only, second] = tree.children(last.id);
    if (!only || second) return { nodes, branches: tree.children(last.id) };
    nodes.push(only);
    last = only;
  }
}

/** The nodes of a run, with a number in place of those that are left out. */
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

/** What is looked for in a tree: names, compactions, the place where it stands. */
function isLandmark(of: { readonly tree: EntryTree; readonly leaf: EntryId | null; readonly entry: Entry }): boolean {
  const { tree, leaf, entry } = of;
  return (
    tree.labels.has(entry.id) || entry.type === 'compaction' || entry.type === 'branch_summary' || entry.id === leaf
  );
}

/** An epoch that was appended with a compaction, prune or edit is drawn as one with it. */
function shownAs({ tree, id }: { readonly tree: EntryTree; readonly id: EntryId | null }): EntryId | null {
  const epoch = id === null ? undefined : tree.byId.get(id);
  const parent = epoch?.parentId ? tree.byId.get(epoch.parentId) : undefined;
  return epoch && parent && isEpochOf({ epoch, parent }) ? parent.id : id;
}

function pathOf({ tree, leaf }: { readonly tree: EntryTree; readonly leaf: EntryId | null }): ReadonlySet<EntryId> {
  const path = new Set<EntryId>();
  for (let id = leaf; id !== null && !path.has(id); ) {
    path.add(id);
    id = tree.byId.get(id)?.parentId ?? null;
  }
  return path;
}
