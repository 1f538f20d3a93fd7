import { readStructure } from '../structure/read-structure.ts';
import type { SourceDocument, Structure } from '../structure/structure.ts';
import { type CostOverride, costsOf } from './cost.ts';
import { type Projection, projectionOf } from './projection.ts';
import { type LineNumbers, type RenderStyle, render } from './render.ts';
import { denseTree, nodesOf, type OffsetRange, type OutlineNode, touches } from './tree.ts';

/** A document to outline; what touches its selection is always shown. */
export interface OutlineDocument extends SourceDocument {
  readonly selection?: OffsetRange;
  /** Where the caller has it already, as from a worker. */
  readonly structure?: Structure;
}

export interface OutlineOptions {
  /** Of all documents together. */
  readonly budget: { readonly characters: number };
  readonly lineNumbers?: LineNumbers;
  /** Imports are free, and markers are comments. */
  readonly keepsTypes?: boolean;
  readonly alwaysMarks?: boolean;
  readonly cost?: CostOverride;
}

export interface OutlineResult {
  /** In the order of the documents given. */
  readonly documents: readonly OutlinedDocument[];
  readonly characters: number;
}

export interface OutlinedDocument extends Projection {
  readonly path: string;
  /** Whether something was left out. */
  readonly isPartial: boolean;
  readonly nodes: readonly OutlinedNode[];
}

/** A node of the structure with what became of it. */
export interface OutlinedNode extends OffsetRange {
  readonly kind: string;
  readonly name?: string;
  readonly depth: number;
  /** Lower is shown first; absent where the caller excluded it. */
  readonly cost?: number;
  readonly isShown: boolean;
}

interface OutlinePlan {
  readonly document: OutlineDocument;
  readonly leaves: readonly OutlineNode[];
  readonly nodes: readonly OutlineNode[];
  readonly costs: ReadonlyMap<OutlineNode, number>;
  readonly selected: ReadonlySet<OutlineNode>;
}

/**
 * The most relevant parts of documents within a number of characters: nodes near the selection first, then by depth, over all
 * documents at once; filling stops at the first that does not fit. What touches a selection is shown even where it alone is
 * over the budget. Equal input gives equal bytes.
 *
 * @example
 * const { documents } = await outline({ documents: [{ path: 'a.ts', text, selection: { start: 40, end: 80 } }], budget: { characters: 2_000 } });
 * console.log(documents[0]?.text);
 */
export async function outline({
  documents,
  ...options
}: OutlineOptions & { readonly documents: readonly OutlineDocument[] }): Promise<OutlineResult> {
  const plans = await Promise.all(
    documents.map(async (document) => {
      const { root } = document.structure ?? (await readStructure(document));
      return planOf({ document, root: denseTree(root), options });
    }),
  );
  return choose({ plans, options });
}

function planOf(of: {
  readonly document: OutlineDocument;
  readonly root: OutlineNode;
  readonly options: OutlineOptions;
}): OutlinePlan {
  const { document, root, options } = of;
  const { selection, path } = document;
  const nodes = nodesOf(root);
  const leaves = nodes.filter(({ children }) => children.length === 0);
  const costs = costsOf({ root, path, selection, keepsTypes: options.keepsTypes, override: options.cost });
  const length = document.text.length;
  const touched = selection ? leaves.filter((leaf) => touches({ range: leaf, selection, length })) : [];
  const selected = new Set<OutlineNode>([root]);
  for (const leaf of touched) for (const node of withAncestors(leaf)) selected.add(node);
  return { document, leaves, nodes, costs, selected };
}

function* withAncestors(node: OutlineNode): Generator<OutlineNode> {
  for (let at: OutlineNode | undefined = node; at; at = at.parent) yield at;
}

/** All documents share one order of nodes; the longest prefix of it that fits is shown. */
function choose({
  plans,
  options,
}: {
  readonly plans: readonly OutlinePlan[];
  readonly options: OutlineOptions;
}): OutlineResult {
  const { budget, lineNumbers = 'none', keepsTypes = false, alwaysMarks = false } = options;
  const style: RenderStyle = { lineNumbers, keepsTypes, alwaysMarks };
  const order = plans
    .flatMap((plan, document) =>
      plan.nodes.flatMap((node) => {
        const cost = plan.costs.get(node);
        return cost === undefined || plan.selected.has(node) ? [] : [{ node, document, cost }];
      }),
    )
    .sort(
      (a, b) =>
        a.cost - b.cost || a.document - b.document || a.node.start - b.node.start || a.node.depth - b.node.depth,
    );
  const shownWith = (count: number) => {
    const shown = plans.map(({ selected }) => new Set(selected));
    for (const { node, document } of order.slice(0, count)) {
      for (const one of withAncestors(node)) {
        if (shown[document]?.has(one)) break;
        shown[document]?.add(one);
      }
    }
    return shown;
  };
  const renderWith = (count: number) => {
    const shown = shownWith(count);
    const texts = plans.map(({ document, leaves }, index) =>
      render({ text: document.text, leaves, style, isShown: (leaf) => isShown({ leaf, shown: shown[index] }) }),
    );
    return { shown, texts, characters: texts.reduce((sum, { text }) => sum + text.length, 0) };
  };
  // Smaller budgets show a subset: both searches probe the same counts until the larger one goes further up.
  let [fits, tooMany] = [0, order.length + 1];
  while (tooMany - fits > 1) {
    const middle = fits + Math.ceil((tooMany - fits) / 2);
    const count = middle === tooMany ? middle - 1 : middle;
    if (count === fits) break;
    if (renderWith(count).characters <= budget.characters) fits = count;
    else tooMany = count;
  }
  const { shown, texts, characters } = renderWith(fits);
  return {
    characters,
    documents: plans.map((plan, index) => {
      const rendering = texts[index] ?? { text: '', segments: [] };
      return {
        ...projectionOf({ original: plan.document.text, ...rendering }),
        path: plan.document.path,
        isPartial: rendering.segments.reduce((sum, { start, end }) => sum + end - start, 0) < plan.document.text.length,
        nodes: plan.nodes
          .filter(({ isGap, parent }) => !isGap && parent)
          .map((node) => outlined({ node, plan, shown: shown[index] })),
      };
    }),
  };
}

/** A gap is shown with its parent, another leaf by itself. */
function isShown({
  leaf,
  shown,
}: {
  readonly leaf: OutlineNode;
  readonly shown: ReadonlySet<OutlineNode> | undefined;
}) {
  return shown?.has(leaf.isGap ? (leaf.parent ?? leaf) : leaf) ?? false;
}

function outlined(of: {
  readonly node: OutlineNode;
  readonly plan: OutlinePlan;
  readonly shown: ReadonlySet<OutlineNode> | undefined;
}): OutlinedNode {
  const { node, plan, shown } = of;
  const cost = plan.costs.get(node);
  const { name } = node.structure;
  return {
    kind: node.kind,
    start: node.start,
    end: node.end,
    depth: node.depth,
    isShown: shown?.has(node) ?? false,
    ...(name !== undefined && { name }),
    ...(cost !== undefined && { cost }),
  };
}
