import type { ITraceRenderData } from '../trace.ts';
import { isBranch, type TreeNode } from '../tree/node.ts';
import { readTree } from './read-tree.ts';
import { type PageNode, type PageRender, reasons } from './shape.ts';
import type { TraceSource } from './source.ts';

/**
 * How the tree at a budget differs from the whole. A prompt that cannot fit is an answer, too.
 *
 * @example
 * const render = await readRender({ source, whole: nodes, budget: 4000 });
 */
export async function readRender({
  source,
  whole,
  budget,
}: {
  readonly source: TraceSource;
  readonly whole: readonly PageNode[];
  readonly budget: number;
}): Promise<PageRender> {
  try {
    return await differences({ source, whole, render: await source.renderTree(budget) });
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    return { budget, tokens: 0, gone: [], replaced: [], added: [], failure };
  }
}

async function differences({
  source,
  whole,
  render,
}: {
  readonly source: TraceSource;
  readonly whole: readonly PageNode[];
  readonly render: ITraceRenderData;
}): Promise<PageRender> {
  const { container, budget, pruned } = render;
  const tokens = await source.count(container);
  const known = new Set(whole.map(({ key }) => key));
  const present = new Set<number>();
  const fresh: TreeNode[] = [];
  visit(container);
  const went = new Set(pruned.map(({ key }) => key));
  const isAbsent = (key: number) => !present.has(key) && !went.has(key);
  return {
    budget,
    tokens,
    gone: pruned
      .filter(({ key }) => known.has(key))
      .map(({ key, reason, limit }) => [key, reasons.indexOf(reason), limit]),
    // Only where it begins: what stands in it is gone with it.
    replaced: whole
      .filter(({ key, parent }) => isAbsent(key) && (parent === null || present.has(parent)))
      .map(({ key }) => key),
    added: (await Promise.all(fresh.map(addedAt))).flat(),
  };

  function visit(node: TreeNode): void {
    if (!known.has(node.key)) {
      fresh.push(node);
      return;
    }
    present.add(node.key);
    if (isBranch(node)) for (const child of node.children) visit(child);
  }

  async function addedAt(node: TreeNode): Promise<PageRender['added'][number][]> {
    const nodes = await readTree({ root: node, tokenizer: source.tokenizer });
    return nodes.map((each, index) => ({ ...each, after: index === 0 ? (node.prev?.key ?? null) : null }));
  }
}
