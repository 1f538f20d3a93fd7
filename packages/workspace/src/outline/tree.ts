import type { NodeKind } from '../structure/languages.ts';
import type { StructureNode } from '../structure/structure.ts';

/** A range of a document in UTF-16 code units; `end` is exclusive. */
export interface OffsetRange {
  readonly start: number;
  readonly end: number;
}

/** A node of an outline: the structure made dense, so that the leaves together are the whole text. */
export interface OutlineNode {
  readonly kind: NodeKind;
  readonly structure: StructureNode;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
  readonly parent: OutlineNode | undefined;
  readonly children: readonly OutlineNode[];
  /** Text between nodes. It has no cost of its own and is shown whenever its parent is. */
  readonly isGap: boolean;
}

/** Makes a structure dense: what lies between the children of a node becomes gaps. */
export function denseTree(root: StructureNode): OutlineNode {
  return dense({ structure: root, depth: 0, parent: undefined });
}

function dense(of: {
  readonly structure: StructureNode;
  readonly depth: number;
  readonly parent: OutlineNode | undefined;
}): OutlineNode {
  const { structure, depth, parent } = of;
  const { kind, start, end } = structure;
  const children: OutlineNode[] = [];
  const node: OutlineNode = { kind, structure, start, end, depth, parent, children, isGap: false };
  // The root is always shown, so that what lies between its children has to be a node of its own to be left out.
  const isGap = parent !== undefined;
  if (structure.children.length === 0 && isGap) return node;
  let from = start;
  const gap = (to: number) => {
    const range = { start: from, end: to, depth: depth + 1, parent: node, children: [], isGap };
    if (to > from) children.push({ kind: isGap ? kind : 'fold', structure, ...range });
  };
  for (const child of structure.children) {
    gap(child.start);
    children.push(dense({ structure: child, depth: depth + 1, parent: node }));
    from = child.end;
  }
  gap(end);
  return node;
}

/** All nodes, parents before their children, in document order. */
export function nodesOf(root: OutlineNode): OutlineNode[] {
  const nodes: OutlineNode[] = [];
  const stack = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    nodes.push(node);
    for (let index = node.children.length - 1; index >= 0; index -= 1) {
      const child = node.children[index];
      if (child) stack.push(child);
    }
  }
  return nodes;
}

/** Whether a range touches a selection; a cursor touches what is behind it, at the end of the text what is before it. */
export function touches({
  range,
  selection,
  length,
}: {
  readonly range: OffsetRange;
  readonly selection: OffsetRange;
  readonly length: number;
}): boolean {
  if (selection.start === selection.end) {
    const at = Math.min(selection.start, Math.max(0, length - 1));
    return range.start <= at && at < range.end;
  }
  return range.start < selection.end && selection.start < range.end;
}
