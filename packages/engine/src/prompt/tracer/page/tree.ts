import { type PageNode, type PageRender, reasons } from '../shape.ts';

/** State of a node at a budget. */
export type Fate =
  | { readonly kind: 'kept' }
  | { readonly kind: 'added' }
  | { readonly kind: 'replaced' }
  /** It went by itself: as which one, why, and the id of the container that was too large. */
  | { readonly kind: 'gone'; readonly order: number; readonly reason: (typeof reasons)[number]; readonly limit: number }
  /** It went with a node above it. */
  | { readonly kind: 'along'; readonly with: number };

export interface TreeNode {
  readonly node: PageNode;
  readonly depth: number;
  readonly fate: Fate;
  readonly children: readonly number[];
}

/** The tree at a budget: all nodes and their state. */
export class Tree {
  readonly roots: readonly number[];
  readonly #nodes = new Map<number, TreeNode>();
  readonly #byId = new Map<number, PageNode>();
  readonly size: number;
  /** Number of pruned nodes, and the count of the largest message or text. */
  readonly goneCount: number;
  readonly most: number;

  constructor({ nodes, render }: { readonly nodes: readonly PageNode[]; readonly render: PageRender }) {
    const children = childrenOf(nodes, render);
    const went = new Map(render.gone.map(([key, reason, limit], order) => [key, { order, reason, limit }]));
    const replaced = new Set(render.replaced);
    const added = new Set(render.added.map(({ key }) => key));
    const byKey = new Map([...nodes, ...render.added].map((node) => [node.key, node]));
    for (const node of byKey.values()) if (node.id !== undefined) this.#byId.set(node.id, node);
    const kept: Fate = { kind: 'kept' };
    let most = 1;
    const place = (key: number, depth: number, above: Fate): void => {
      const node = byKey.get(key);
      if (!node) return;
      const fate = fateOf(key, above);
      const below = children.get(key) ?? [];
      this.#nodes.set(key, { node, depth, fate, children: below });
      if (node.kind !== 'element') most = Math.max(most, node.tokens);
      for (const child of below) place(child, depth + 1, fate);
    };
    const fateOf = (key: number, above: Fate): Fate => {
      const own = went.get(key);
      if (own) return { kind: 'gone', order: own.order, reason: reasons[own.reason] ?? 'priority', limit: own.limit };
      if (replaced.has(key)) return { kind: 'replaced' };
      if (added.has(key)) return { kind: 'added' };
      const parent = byKey.get(key)?.parent;
      if (above.kind === 'gone' && parent != null) return { kind: 'along', with: parent };
      return above.kind === 'added' ? kept : above;
    };
    this.roots = children.get(null) ?? [];
    for (const root of this.roots) place(root, 0, kept);
    this.size = this.#nodes.size;
    this.goneCount = [...this.#nodes.values()].filter(({ fate }) => isGone(fate)).length;
    this.most = most;
  }

  get(key: number): TreeNode | undefined {
    return this.#nodes.get(key);
  }

  byId(id: number): PageNode | undefined {
    return this.#byId.get(id);
  }

  /** Ancestors of a node, root first. */
  above(key: number): PageNode[] {
    const path: PageNode[] = [];
    for (let at = this.get(key)?.node.parent; at != null; at = this.get(at)?.node.parent) {
      const node = this.get(at)?.node;
      if (node) path.push(node);
    }
    return path.reverse();
  }
}

/** Whether a node is not in the prompt at this budget. */
export function isGone({ kind }: Fate): boolean {
  return kind === 'gone' || kind === 'along' || kind === 'replaced';
}

/** Children in order; nodes that exist only at this budget follow their sibling. */
function childrenOf(nodes: readonly PageNode[], render: PageRender): Map<number | null, number[]> {
  const children = new Map<number | null, number[]>();
  const listOf = (parent: number | null) => {
    const list = children.get(parent) ?? [];
    children.set(parent, list);
    return list;
  };
  for (const { key, parent } of nodes) listOf(parent).push(key);
  for (const { key, parent, after } of render.added) {
    const list = listOf(parent);
    const isFirst = after === null && nodes.some((node) => node.key === parent);
    const at = after === null ? (isFirst ? 0 : list.length) : list.indexOf(after) + 1;
    list.splice(at, 0, key);
  }
  return children;
}
