import { isInPair } from '../elements/cut-text.ts';
import type { BasePromptElementProps } from '../piece.ts';
import type { ITokenizer } from '../tokenizer.ts';
import { type Branch, isBranch, type Leaf, type TreeNode } from '../tree/node.ts';
import type { NodeKind, PageNode } from './shape.ts';

/** So much of a text is in the page; the rest is counted. */
const shownText = 2000;

const kinds: readonly NodeKind[] = ['image', 'text', 'opaque', 'breakpoint', 'document'];
const roles = ['system', 'user', 'assistant', 'tool'] as const;

/**
 * The nodes of a tree for the page, parents before children. The messages of the tree were counted already.
 *
 * @example
 * const nodes = await readTree({ root: trace.fullTree(), tokenizer: trace.tokenizer });
 */
export async function readTree({
  root,
  tokenizer,
}: {
  readonly root: TreeNode;
  readonly tokenizer: ITokenizer;
}): Promise<PageNode[]> {
  const nodes: PageNode[] = [];
  await read(root, root.parent?.key ?? null);
  return nodes;

  /** Adds a node with all below it; answers what it counts. */
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

/** What the props say about shares and pruning. */
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
