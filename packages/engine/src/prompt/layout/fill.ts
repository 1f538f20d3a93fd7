import type { PromptPiece } from '../piece.ts';
import { type PromptMetadata, ReferenceMetadata } from '../results/metadata.ts';
import type { PromptReference } from '../results/reference.ts';
import { addText, mediaTokens, overheadOf } from './consumption.ts';
import { childrenOf, type Flat, flatTemplate, flattenAll, isElement, type Template } from './flatten.ts';
import { placeIntrinsic } from './intrinsics.ts';
import { isOneLeaf } from './kind.ts';
import type { Layout } from './layout.ts';
import { isPending, type Maybe, Sum } from './maybe.ts';
import { type LayoutNode, LayoutText } from './node.ts';
import { Room } from './room.ts';

const noMetadata: readonly PromptMetadata[] = [];

/** Puts what an element rendered into its node; answers what it consumed, which is never more than its budget. */
export function fillNode(layout: Layout, node: LayoutNode, template: Template, budget: number): Maybe<number> {
  const { rules } = layout.input;
  const overhead = overheadOf(layout, node);
  const isMedia = node.kind?.isImage || node.kind?.isDocument;
  // Most elements hold one text or one element, and need no lists.
  if (!isPending(overhead) && !isMedia) {
    const only = onlyChild(template);
    if (typeof only === 'string') return withText(layout, node, only, budget, overhead ?? 0);
    if (only && !isOneLeaf(node.ctor)) return withElement(layout, node, only, budget, overhead ?? 0);
  }
  const sum = new Sum();
  if (overhead !== undefined) sum.add(overhead);
  if (rules.countsAll && isMedia) sum.add(mediaTokens(layout, node));
  let todo: LayoutNode[] | undefined;
  try {
    const pieces = flatTemplate(template, rules.allowsNull);
    todo = isOneLeaf(node.ctor) ? oneLeaf(layout, node, pieces, sum) : several(layout, node, pieces, sum);
  } catch (error) {
    return sum.failed(error);
  }
  const used = sum.total();
  return isPending(used) ? used.then((tokens) => rest(layout, budget, tokens, todo)) : rest(layout, budget, used, todo);
}

/** The text or the element that is all there is in a template. */
function onlyChild(template: Template): string | PromptPiece | undefined {
  const children = childrenOf(template);
  const child = children?.length === 1 ? children[0] : undefined;
  return typeof child === 'string' || isElement(child) ? child : undefined;
}

function withText(layout: Layout, node: LayoutNode, text: string, budget: number, used: number): Maybe<number> {
  const tokens = layout.input.counter.text(text);
  const isLeaf = isOneLeaf(node.ctor);
  const child = new LayoutText({
    childIndex: isLeaf ? node.childIndex : node.childCount,
    text,
    priority: node.props?.priority,
    metadata: isLeaf ? noMetadata : undefined,
    lineBreakBefore: isLeaf,
    tokens: isPending(tokens) ? undefined : tokens,
  });
  node.append(child);
  if (!isPending(tokens)) return Math.min(budget, used + tokens);
  return tokens.then((answer) => {
    child.tokens = answer;
    return Math.min(budget, used + answer);
  });
}

function withElement(
  layout: Layout,
  node: LayoutNode,
  piece: PromptPiece,
  budget: number,
  used: number,
): Maybe<number> {
  const child = layout.nodeOf(piece, node);
  node.append(child);
  const consumed = layout.placeOne(child, Math.max(0, budget - used));
  if (!isPending(consumed)) return Math.min(budget, used + consumed);
  return consumed.then((answer) => Math.min(budget, used + answer));
}

/** What stands in the element renders with what is left. */
function rest(layout: Layout, budget: number, used: number, todo: LayoutNode[] | undefined): Maybe<number> {
  if (!todo) return used > budget ? budget : used;
  const room = new Room({ budget, used });
  const placed = layout.place(room, todo);
  return isPending(placed) ? placed.then(() => room.consumed) : room.consumed;
}

/** Texts, intrinsics and elements become children; the elements are still to be rendered. */
function several(layout: Layout, node: LayoutNode, pieces: readonly Flat[], sum: Sum): LayoutNode[] | undefined {
  const { rules } = layout.input;
  const { priority } = node.props;
  const elements = countElements(pieces);
  // As long as it will be: a list that grows takes room for many.
  const todo = elements === 0 ? undefined : new Array<LayoutNode>(elements);
  let made = 0;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      const text = new LayoutText({
        childIndex: node.childCount,
        text: piece,
        priority,
        metadata: undefined,
        lineBreakBefore: false,
        tokens: undefined,
      });
      node.append(text);
      addText(layout, text, sum);
    } else if (typeof piece.ctor === 'string') {
      const children = flattenAll(piece.children, rules.allowsNull);
      const given = piece.props as object;
      // What came as JSON has a priority of its own.
      const props = piece.ctor === 'elementJSON' ? given : { priority: priority ?? Number.MAX_SAFE_INTEGER, ...given };
      placeIntrinsic({ layout, node, name: piece.ctor, props, children, childIndex: undefined, sum });
    } else {
      const child = layout.nodeOf(piece, node);
      node.append(child);
      if (todo) todo[made++] = child;
    }
  }
  return todo;
}

function countElements(pieces: readonly Flat[]): number {
  let count = 0;
  for (const piece of pieces) if (typeof piece !== 'string' && typeof piece.ctor !== 'string') count += 1;
  return count;
}

/** What stands in a `TextChunk` becomes one leaf, with its references. */
function oneLeaf(layout: Layout, node: LayoutNode, pieces: readonly Flat[], sum: Sum): undefined {
  const { counter, rules } = layout.input;
  let joined = '';
  let texts = 0;
  let tokens: Maybe<number> | undefined;
  let metadata = noMetadata;
  for (const piece of pieces) {
    if (typeof piece === 'string') {
      joined += piece;
      texts += 1;
      tokens = counter.text(piece);
      sum.add(tokens);
      continue;
    }
    if (typeof piece.ctor !== 'string') throw new Error('TextChunk cannot have extrinsic children!');
    if (piece.ctor === 'br') {
      if (rules.countsAll) sum.add(counter.text('\n'));
      joined += '\n';
      texts += 1;
    } else if (piece.ctor === 'references') {
      const { value } = piece.props as { value: readonly PromptReference[] };
      metadata = [...metadata, ...value.map((each) => new ReferenceMetadata(each))];
    } else {
      const children = flattenAll(piece.children, rules.allowsNull);
      const { childIndex } = node;
      placeIntrinsic({ layout, node, name: piece.ctor, props: piece.props as object, children, childIndex, sum });
    }
  }
  const priority = node.props?.priority;
  const counted = texts === 1 && !isPending(tokens) ? tokens : undefined;
  const { childIndex } = node;
  node.append(new LayoutText({ childIndex, text: joined, priority, metadata, lineBreakBefore: true, tokens: counted }));
}
