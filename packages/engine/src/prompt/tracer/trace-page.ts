import type { Json } from '../../json.ts';
import { closeDocument, dataBlock, openDocument } from '../../page/document.ts';
import type { BasePromptElementProps } from '../element.ts';
import { isInPair } from '../elements/cut-text.ts';
import type { ITokenizer } from '../tokenizer.ts';
import { type Branch, isBranch, type Leaf, type TreeNode } from '../tree/node.ts';
import { type PageEpoch, type PageNode, type PageNodeKind, type PageRender, reasons } from './shape.ts';
import type { TraceSource } from './source.ts';
import type { ITraceRenderData } from './tracer.ts';

const noscript = 'This page shows how a prompt was rendered. It needs its script, but no network.';

/** A traced render, read once and rendered for any budget. */
export class TracePage {
  readonly #source: TraceSource;
  readonly #title: string;
  readonly #epochs: readonly PageEpoch[];
  #whole: Promise<{ readonly nodes: readonly PageNode[]; readonly tokens: number }> | undefined;
  #line: Promise<unknown> = Promise.resolve();

  constructor(of: { readonly source: TraceSource; readonly title: string; readonly epochs: readonly PageEpoch[] }) {
    this.#source = of.source;
    this.#title = of.title;
    this.#epochs = of.epochs;
  }

  /** The prompt at a budget. Expandable elements are rendered again, so budgets are processed one at a time. */
  render(budget: number): Promise<PageRender> {
    const rendered = this.#line.then(async () =>
      readRender({ source: this.#source, whole: (await this.#read()).nodes, budget }),
    );
    this.#line = rendered.catch(() => undefined);
    return rendered;
  }

  /** The document, with a number of precomputed budgets or for a server that renders any. */
  async html({ renders }: { readonly renders: number | 'live' }): Promise<string> {
    const { page: code } = await import('./page.generated.ts');
    const { nodes, tokens: whole } = await this.#read();
    const { budget } = this.#source;
    const isLive = renders === 'live';
    const budgets = isLive ? [budget] : budgetsFor({ budget, whole, most: renders });
    const prompt = { title: this.#title, budget, whole, isLive, epochs: this.#epochs };
    const pieces = [openDocument({ title: this.#title, code, noscript, asks: isLive })];
    pieces.push(dataBlock({ name: 'prompt', value: prompt as unknown as Json }));
    pieces.push(dataBlock({ name: 'nodes', value: nodes as unknown as Json }));
    for (const each of budgets)
      pieces.push(dataBlock({ name: 'render', value: (await this.render(each)) as unknown as Json }));
    return [...pieces, closeDocument({ code })].join('');
  }

  #read(): Promise<{ readonly nodes: readonly PageNode[]; readonly tokens: number }> {
    this.#whole ??= (async () => {
      const root = this.#source.fullTree();
      const tokens = await this.#source.count(root);
      return { nodes: await readTree({ root, tokenizer: this.#source.tokenizer }), tokens };
    })();
    return this.#whole;
  }
}

/**
 * Budgets of a standalone file: steps from 0 to beyond the total, including the original budget and the total.
 *
 * @example
 * budgetsFor({ budget: 1000, whole: 4000, most: 49 }); // [0, 88, 175, ..., 1000, ..., 4000, 4200]
 */
export function budgetsFor({
  budget,
  whole,
  most,
}: {
  readonly budget: number;
  readonly whole: number;
  readonly most: number;
}): number[] {
  const top = Math.ceil(Math.max(budget, whole) * 1.05);
  const steps = Math.max(1, most - 3);
  const even = Array.from({ length: steps + 1 }, (_, step) => Math.round((top * step) / steps));
  return [...new Set([...even, budget, whole])].toSorted((a, b) => a - b);
}

/**
 * Difference of the tree at a budget to the whole. A prompt that does not fit is a valid result.
 *
 * @example
 * const render = await readRender({ source, whole: nodes, budget: 4000 });
 */
async function readRender({
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
    // Only the topmost node: its descendants are implied.
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

/** Limit of a text in the page, in characters. */
const shownText = 2000;

const kinds: readonly PageNodeKind[] = ['image', 'text', 'opaque', 'breakpoint', 'document'];
const roles = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * The nodes of a tree for the page, parents before children. The messages are already counted.
 *
 * @example
 * const nodes = await readTree({ root: trace.fullTree(), tokenizer: trace.tokenizer });
 */
async function readTree({
  root,
  tokenizer,
}: {
  readonly root: TreeNode;
  readonly tokenizer: ITokenizer;
}): Promise<PageNode[]> {
  const nodes: PageNode[] = [];
  await read(root, root.parent?.key ?? null);
  return nodes;

  /** Adds a node with its descendants; returns its count. */
  async function read(node: TreeNode, parent: number | null): Promise<number> {
    if (!isBranch(node)) {
      const tokens = await leafTokens(node as Leaf, tokenizer);
      nodes.push({ ...placed(node, parent), ...leafFacts(node as Leaf), tokens });
      return tokens;
    }
    const at = nodes.length;
    const facts = { ...placed(node, parent), ...branchFacts(node) };
    nodes.push({ ...facts, tokens: 0 });
    let sum = 0;
    for (const child of node.children) sum += await read(child, node.key);
    const tokens = node.message ? (node.message.exact ?? sum) : sum;
    nodes[at] = { ...facts, tokens };
    return tokens;
  }
}

function placed(node: TreeNode, parent: number | null): Pick<PageNode, 'key' | 'parent' | 'priority'> {
  const isSet = node.priority !== Number.MAX_SAFE_INTEGER;
  return { key: node.key, parent, ...(isSet && { priority: node.priority }) };
}

async function leafTokens(leaf: Leaf, tokenizer: ITokenizer): Promise<number> {
  if (leaf.tokens !== undefined) return leaf.tokens;
  const { part } = leaf;
  return part.type === 2 ? (part.tokenUsage ?? 0) : await tokenizer.tokenLength(part);
}

function leafFacts({ part }: Leaf): Pick<PageNode, 'kind' | 'name' | 'text' | 'length'> {
  const kind = kinds[part.type] ?? 'text';
  switch (part.type) {
    case 1:
      return { kind, name: 'text', ...beginning(part.text) };
    case 0:
      return { kind, name: 'image', ...beginning(part.imageUrl.url.slice(0, 120)) };
    case 4:
      return { kind, name: part.documentData.mediaType };
    case 3:
      return { kind, name: 'cache breakpoint' };
    default:
      return { kind, name: 'opaque', ...beginning(safely(part.value)) };
  }
}

function branchFacts(branch: Branch): Pick<PageNode, 'kind' | 'name' | 'id' | 'marks' | 'text' | 'length'> {
  const { id, message } = branch;
  const marks = marksOf(branch);
  const calls = message?.toolCalls?.map(({ function: { name, arguments: given } }) => `${name}(${given})`).join('\n');
  return {
    kind: message ? 'message' : 'element',
    id,
    name: message ? (roles[message.role] ?? 'message') : (branch.elementName ?? 'element'),
    ...(marks.length > 0 && { marks }),
    ...(calls && beginning(calls)),
  };
}

/** Properties about shares and pruning. */
function marksOf(branch: Branch): string[] {
  const props = (branch.source.element as { readonly props?: unknown } | undefined)?.props as
    | (BasePromptElementProps & { readonly max?: number })
    | undefined;
  const { keepWithId, message } = branch;
  const given = (['flexGrow', 'flexBasis', 'flexReserve'] as const).flatMap((name) =>
    props?.[name] === undefined ? [] : [`${name} ${props[name]}`],
  );
  return [
    ...(message && branch.name ? [`name ${branch.name}`] : []),
    ...(branch.isChunk ? ['chunk'] : []),
    ...(branch.passesPriority ? ['passPriority'] : []),
    ...(branch.isLegacy ? ['legacy'] : []),
    ...(branch.source.kind?.isLimit ? [`limit ${props?.max}`] : []),
    ...(keepWithId === undefined ? [] : [`keep-with ${keepWithId}`]),
    ...given,
  ];
}

function beginning(text: string): { readonly text: string; readonly length: number } {
  const end = isInPair(text, shownText) ? shownText - 1 : shownText;
  return { text: text.slice(0, end), length: text.length };
}

function safely(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
