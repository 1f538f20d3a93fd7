import { nodesOf, type OffsetRange, type OutlineNode, touches } from './tree.ts';

/** A cost of a node given by the caller in place of the regular one; `false` leaves the node out for good,
 * with all below it. */
export type CostOverride = (of: {
  readonly node: OutlineNode;
  readonly cost: number;
  readonly path: string;
}) => number | false;

/** The cost of each node that may be shown, lowest first to be shown. */
export function costsOf(of: {
  readonly root: OutlineNode;
  readonly path: string;
  readonly selection?: OffsetRange | undefined;
  /** Imports cost nothing, so that what is shown still type-checks. */
  readonly keepsTypes?: boolean | undefined;
  readonly override?: CostOverride | undefined;
}): Map<OutlineNode, number> {
  const { root, path, selection, keepsTypes = false, override } = of;
  const nodes = nodesOf(root);
  const scopes = selection ? scopeDistances({ nodes, selection, length: root.end }) : undefined;
  const costs = new Map<OutlineNode, number>();
  const excluded = new Set<OutlineNode>();
  for (const node of nodes) {
    if (node.isGap || !node.parent) continue;
    if (excluded.has(node.parent)) {
      excluded.add(node);
      continue;
    }
    const isFree = keepsTypes && node.kind === 'import';
    const regular = scopes && selection ? nearness({ node, scopes, selection, length: root.end }) : node.depth;
    const cost = isFree ? 0 : regular;
    const chosen = override ? override({ node, cost, path }) : cost;
    if (chosen === false) excluded.add(node);
    else costs.set(node, chosen);
  }
  return costs;
}

function nearness(of: {
  readonly node: OutlineNode;
  readonly scopes: ReadonlyMap<OutlineNode, number>;
  readonly selection: OffsetRange;
  readonly length: number;
}): number {
  const { node, scopes, selection, length } = of;
  const distance = touches({ range: node, selection, length })
    ? 0
    : node.end <= selection.start
      ? selection.start - node.end
      : 3 * Math.max(0, node.start - selection.end);
  return 100 * (scopes.get(node) ?? 0) + node.depth + 10 * (distance / Math.max(1, length));
}

/**
 * How far a node's scope is from the selection: the fewest levels from the node, or from one around it, down to a leaf that
 * touches the selection.
 */
function scopeDistances(of: {
  readonly nodes: readonly OutlineNode[];
  readonly selection: OffsetRange;
  readonly length: number;
}): Map<OutlineNode, number> {
  const { nodes, selection, length } = of;
  const down = new Map<OutlineNode, number>();
  for (const leaf of nodes) {
    if (leaf.children.length > 0 || !touches({ range: leaf, selection, length })) continue;
    let levels = 0;
    for (let node: OutlineNode | undefined = leaf; node; node = node.parent, levels += 1) {
      down.set(node, Math.min(levels, down.get(node) ?? Number.POSITIVE_INFINITY));
    }
  }
  const scopes = new Map<OutlineNode, number>();
  for (const node of nodes) {
    const outer = node.parent ? (scopes.get(node.parent) ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
    const scope = Math.min(down.get(node) ?? Number.POSITIVE_INFINITY, outer);
    scopes.set(node, Number.isFinite(scope) ? scope : node.depth);
  }
  return scopes;
}

/**
 * The cost that attached files use: imports last, in TypeScript private members later and exported ones earlier.
 *
 * @example
 * await outline({ documents: [{ path: 'a.ts', text }], budget: { characters: 4_000 }, cost: attachmentCost });
 */
export const attachmentCost: CostOverride = ({ node, cost, path }) => {
  if (node.kind === 'import') return 1_000;
  if (!/\.[cm]?tsx?$/.test(path)) return cost;
  let factor = 1;
  for (let outer: OutlineNode | undefined = node; outer; outer = outer.parent) {
    if (outer.structure.isPrivate) factor *= 1.1;
    if (outer.structure.isExported) factor *= 0.9;
  }
  return cost * factor;
};
