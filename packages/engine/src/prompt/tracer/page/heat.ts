import type { Tree, TreeNode } from './tree.ts';

/** What the colors show. */
export type Coloring = 'tokens' | 'priority';

/** As many colors as are distinguishable. */
const steps = 8;

/** Color intensity of a node, from 0 to 1: its tokens relative to the whole, or its priority among its siblings. */
export function heatOf({
  of,
  tree,
  by,
}: {
  readonly of: TreeNode;
  readonly tree: Tree;
  readonly by: Coloring;
}): number {
  const { node } = of;
  if (by === 'tokens') return stepped(Math.min(1, node.tokens / tree.most));
  const parent = node.parent === null ? undefined : tree.get(node.parent);
  const set = (parent?.children ?? []).flatMap((key) => tree.get(key)?.node.priority ?? []);
  if (node.priority === undefined) return 1;
  const [least, most] = set.reduce(
    ([low, high], each) => [Math.min(low, each), Math.max(high, each)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
  // Nodes without a priority rank above all others.
  const top = set.length < (parent?.children.length ?? 0) ? 0.8 : 1;
  return stepped(most === least ? top : (top * (node.priority - least)) / (most - least));
}

function stepped(value: number): number {
  return Math.round(value * steps) / steps;
}
