import type { PromptElement } from '../element.ts';
import type { BasePromptElementProps, PromptPiece } from '../piece.ts';
import { type PromptMetadata, ReferenceMetadata } from '../results/metadata.ts';
import type { PromptReference } from '../results/reference.ts';
import { intrinsicTokens, mediaTokens, overheadOf } from './consumption.ts';
import { type Flat, flatTemplate, flattenAll } from './flatten.ts';
import { placeIntrinsic } from './intrinsics.ts';
import { isOneLeaf } from './kind.ts';
import type { Layout } from './layout.ts';
import { isPending, type Maybe } from './maybe.ts';
import { LayoutNode, LayoutText } from './node.ts';
import { Room } from './room.ts';

interface Filling {
  readonly layout: Layout;
  readonly node: LayoutNode;
  readonly element: PromptElement<BasePromptElementProps, unknown>;
  readonly template: PromptPiece;
  readonly budget: number;
}

const noMetadata: readonly PromptMetadata[] = [];

/** Adds up counts that are there or will be. */
class Sum {
  total = 0;
  pending: PromiseLike<void>[] | undefined = undefined;

  add(tokens: Maybe<number>): void {
    if (!isPending(tokens)) this.total += tokens;
    else {
      this.pending ??= [];
      this.pending.push(
        tokens.then((answer) => {
          this.total += answer;
        }),
      );
    }
  }
}

/** Puts what an element rendered into its node; answers what it consumed, which is never more than its budget. */
export function fillNode(of: Filling): Maybe<number> {
  const { layout, node, template, budget } = of;
  const { rules, counter } = layout.input;
  const overhead = overheadOf(of);
  const text = onlyText(template);
  // Most elements hold one text.
  if (text !== undefined && !isPending(overhead) && !node.kind?.isImage && !node.kind?.isDocument) {
    const tokens = counter.text(text);
    if (!isPending(tokens)) {
      const isLeaf = isOneLeaf(node.ctor);
      const priority = node.props?.priority ?? Number.MAX_SAFE_INTEGER;
      const childIndex = isLeaf ? node.childIndex : node.childCount;
      node.append(
        new LayoutText({
          childIndex,
          text,
          priority,
          metadata: isLeaf ? noMetadata : undefined,
          lineBreakBefore: isLeaf,
          tokens,
        }),
      );
      return Math.min(budget, tokens + (overhead ?? 0));
    }
  }
  const pieces = flatTemplate(template, rules.allowsNull);
  const sum = new Sum();
  if (overhead !== undefined) sum.add(overhead);
  if (rules.countsAll && (node.kind?.isImage || node.kind?.isDocument)) sum.add(mediaTokens(of));
  const todo = isOneLeaf(node.ctor) ? oneLeaf(of, pieces, sum) : several(of, pieces, sum);
  if (sum.pending) return Promise.all(sum.pending).then(() => rest(of, sum.total, todo));
  return rest(of, sum.total, todo);
}

/** The text of a template that is nothing else. */
function onlyText({ ctor, children }: PromptPiece): string | undefined {
  if (typeof ctor !== 'function' || !(ctor as { readonly isFragment?: boolean }).isFragment) return undefined;
  const [child] = children;
  return children.length === 1 && typeof child === 'string' ? child : undefined;
}

/** What stands in the element renders with what is left. */
function rest({ layout, budget }: Filling, used: number, todo: LayoutNode[] | undefined): Maybe<number> {
  if (!todo) return used > budget ? budget : used;
  const room = new Room({ budget, used });
  const placed = layout.place(room, todo);
  return isPending(placed) ? placed.then(() => room.consumed) : room.consumed;
}

/** Texts, intrinsics and elements become children; the elements are still to be rendered. */
function several({ layout, node }: Filling, pieces: readonly Flat[], sum: Sum): LayoutNode[] | undefined {
  const { counter, rules } = layout.input;
  const priority = node.props.priority ?? Number.MAX_SAFE_INTEGER;
  let todo: LayoutNode[] | undefined;
  for (const piece of pieces) {
    const childIndex = node.childCount;
    if (typeof piece === 'string') {
      addText(node, counter.text(piece), sum, {
        childIndex,
        text: piece,
        priority,
        metadata: undefined,
        lineBreakBefore: false,
      });
    } else if (typeof piece.ctor === 'string') {
      if (rules.countsAll) sum.add(intrinsicTokens({ name: piece.ctor, props: piece.props, layout }));
      const children = flattenAll(piece.children, rules.allowsNull);
      const props = { priority, ...(piece.props as object) };
      placeIntrinsic({ layout, node, name: piece.ctor, props, children, childIndex: undefined });
    } else {
      const { ctor, props, children } = piece;
      const child = new LayoutNode({ parent: node, childIndex, id: layout.newId(), ctor, props, children });
      node.append(child);
      if (todo) todo.push(child);
      else todo = [child];
    }
  }
  return todo;
}

function addText(
  node: LayoutNode,
  tokens: Maybe<number>,
  sum: Sum,
  of: Omit<ConstructorParameters<typeof LayoutText>[0], 'tokens'>,
): void {
  const counted = isPending(tokens) ? undefined : tokens;
  const text = new LayoutText({ ...of, tokens: counted });
  node.append(text);
  sum.add(isPending(tokens) ? tokens.then((answer) => (text.tokens = answer)) : tokens);
}

/** What stands in a `TextChunk` becomes one leaf, with its references. */
function oneLeaf({ layout, node }: Filling, pieces: readonly Flat[], sum: Sum): undefined {
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
    if (rules.countsAll) sum.add(intrinsicTokens({ name: piece.ctor, props: piece.props, layout }));
    if (piece.ctor === 'br') {
      joined += '\n';
      texts += 1;
    } else if (piece.ctor === 'references') {
      const { value } = piece.props as { value: readonly PromptReference[] };
      metadata = [...metadata, ...value.map((each) => new ReferenceMetadata(each))];
    } else {
      const children = flattenAll(piece.children, rules.allowsNull);
      const { childIndex } = node;
      placeIntrinsic({ layout, node, name: piece.ctor, props: piece.props as object, children, childIndex });
    }
  }
  const priority = node.props?.priority ?? Number.MAX_SAFE_INTEGER;
  const counted = texts === 1 && !isPending(tokens) ? tokens : undefined;
  const { childIndex } = node;
  node.append(new LayoutText({ childIndex, text: joined, priority, metadata, lineBreakBefore: true, tokens: counted }));
}
