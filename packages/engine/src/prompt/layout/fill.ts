import type { BasePromptElementProps, PromptPiece } from '../element.ts';
import { childrenOf, type FlatChild, flatTemplate, flattenAll, isElement, type Template } from '../elements/flatten.ts';
import { imageUrl } from '../elements/media.ts';
import type { BaseChatMessage, ToolCall } from '../elements/messages.ts';
import type { PromptElementJSON } from '../json-tree.ts';
import { isPending, type Maybe, PendingSum } from '../maybe-promise.ts';
import type * as Raw from '../output/raw.ts';
import { type PromptMetadata, ReferenceMetadata } from '../results/metadata.ts';
import type { ChatDocumentContext, PromptReference } from '../results/reference.ts';
import type { UriComponents } from '../results/uri.ts';
import { isOneLeaf } from './kind.ts';
import type { PromptLayout } from './layout.ts';
import { callsOf, rawMessage } from './message.ts';
import { LayoutBreakpoint, type LayoutChild, LayoutNode, LayoutOpaque, LayoutText } from './node.ts';
import { readElement } from './read-json.ts';
import { TokenRoom } from './room.ts';

const noMetadata: readonly PromptMetadata[] = [];

/** Adds the output of an element to its node; returns what it consumed, at most its budget. */
export function fillNode(layout: PromptLayout, node: LayoutNode, template: Template, budget: number): Maybe<number> {
  const { rules } = layout.input;
  const overhead = overheadOf(layout, node);
  const isMedia = node.kind?.isImage || node.kind?.isDocument;
  // Most elements have one text or one element and need no lists.
  if (!isPending(overhead) && !isMedia) {
    const only = onlyChild(template);
    if (typeof only === 'string') return withText(layout, node, only, budget, overhead ?? 0);
    if (only && !isOneLeaf(node.ctor)) return withElement(layout, node, only, budget, overhead ?? 0);
  }
  const sum = new PendingSum();
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

/** The only text or element of a template. */
function onlyChild(template: Template): string | PromptPiece | undefined {
  const children = childrenOf(template);
  const child = children?.length === 1 ? children[0] : undefined;
  return typeof child === 'string' || isElement(child) ? child : undefined;
}

function withText(layout: PromptLayout, node: LayoutNode, text: string, budget: number, used: number): Maybe<number> {
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
  layout: PromptLayout,
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

/** Renders the children with the remaining budget. */
function rest(layout: PromptLayout, budget: number, used: number, todo: LayoutNode[] | undefined): Maybe<number> {
  if (!todo) return used > budget ? budget : used;
  const room = new TokenRoom({ budget, used });
  const placed = layout.place(room, todo);
  return isPending(placed) ? placed.then(() => room.consumed) : room.consumed;
}

/** Texts, intrinsics and elements become children; the elements are rendered later. */
function several(
  layout: PromptLayout,
  node: LayoutNode,
  pieces: readonly FlatChild[],
  sum: PendingSum,
): LayoutNode[] | undefined {
  const { rules } = layout.input;
  const { priority } = node.props;
  const elements = countElements(pieces);
  // Allocated at its final size, since a growing list overallocates.
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
      // JSON elements have their own priority.
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

function countElements(pieces: readonly FlatChild[]): number {
  let count = 0;
  for (const piece of pieces) if (typeof piece !== 'string' && typeof piece.ctor !== 'string') count += 1;
  return count;
}

/** The children of a `TextChunk` become one leaf, with its references. */
function oneLeaf(layout: PromptLayout, node: LayoutNode, pieces: readonly FlatChild[], sum: PendingSum): undefined {
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

interface Intrinsic {
  readonly layout: PromptLayout;
  readonly node: LayoutNode;
  readonly name: string;
  readonly props: object;
  readonly children: readonly FlatChild[];
  /** Its position; the next one if unset. */
  readonly childIndex: number | undefined;
  /** Accumulates the count, by our rules. */
  readonly sum: PendingSum;
}

/** Adds an intrinsic element to a node. */
function placeIntrinsic(of: Intrinsic): void {
  const place = intrinsics[of.name];
  if (!place) throw new Error(`Unknown intrinsic element ${of.name}!`);
  place(of);
}

const intrinsics: Readonly<Record<string, (of: Intrinsic) => void>> = {
  meta(of) {
    alone(of, 'meta');
    const { value, local } = of.props as { value: PromptMetadata; local?: boolean };
    if (local) of.node.addMetadata(value);
    else of.layout.addMetadata(value);
  },

  br(of) {
    alone(of, 'br');
    const { priority } = of.props as BasePromptElementProps;
    of.node.append(
      new LayoutText({
        childIndex: indexOf(of),
        text: '\n',
        priority,
        metadata: undefined,
        lineBreakBefore: false,
        tokens: undefined,
      }),
    );
    const { counter, rules } = of.layout.input;
    if (rules.countsAll) of.sum.add(counter.text('\n'));
  },

  usedContext(of) {
    alone(of, 'usedContext');
    for (const each of (of.props as { value: readonly ChatDocumentContext[] }).value) of.layout.usedContext.push(each);
  },

  references(of) {
    alone(of, 'reference');
    for (const each of (of.props as { value: readonly PromptReference[] }).value)
      of.node.addMetadata(new ReferenceMetadata(each));
  },

  ignoredFiles(of) {
    alone(of, 'ignoredFiles');
    for (const each of (of.props as { value: readonly UriComponents[] }).value) of.layout.ignoredFiles.push(each);
  },

  elementJSON({ layout, node, props, sum }) {
    const { data, priority } = props as { data: PromptElementJSON; priority?: number };
    const { tracer, rules } = layout.input;
    for (const child of readElement({ json: data, into: node, layout, priority })) {
      if (rules.countsAll) addEmbedded(layout, child, sum);
      // The original budgets of the elements are unknown here.
      if (tracer?.includeInEpoch && child instanceof LayoutNode)
        for (const { id } of child.elements()) tracer.includeInEpoch({ id, tokenBudget: 0 });
    }
  },

  cacheBreakpoint(of) {
    alone(of, 'cacheBreakpoint');
    if (!of.node.kind?.isMessage) throw new Error('Cache breakpoints may only be direct children of chat messages');
    const { type: cacheType } = of.props as { type?: string };
    of.node.append(new LayoutBreakpoint({ childIndex: indexOf(of), part: { type: 3, cacheType } }));
  },

  opaque(of) {
    const { value, tokenUsage, priority, scope } = of.props as {
      value: unknown;
      tokenUsage?: number;
      priority?: number;
      scope?: number;
    };
    const { counter, rules } = of.layout.input;
    const keepsScope = rules.losslessJSON && scope !== undefined;
    const part = { type: 2, value, tokenUsage, ...(keepsScope && { scope }) } as const;
    of.node.append(new LayoutOpaque({ childIndex: indexOf(of), part, priority }));
    if (rules.countsAll) of.sum.add(counter.declared(part));
  },
};

function indexOf({ childIndex, node }: Intrinsic): number {
  return childIndex ?? node.childCount;
}

function alone({ children }: Intrinsic, name: string): void {
  if (children.length > 0) throw new Error(`<${name} /> must not have children!`);
}

/**
 * The cost of a message without content. In prompt-tsx a tool message costs nothing while elements render, and props
 * count that are not sent; by our rules exactly what is sent counts (editor.md 1.7).
 */
function overheadOf(layout: PromptLayout, node: LayoutNode): Maybe<number> | undefined {
  const { counter, rules } = layout.input;
  if (!(rules.countsAll ? node.kind?.isMessage : node.kind?.isChatMessage)) return undefined;
  if (!rules.countsAll) return overheadAsOriginal(layout, node);
  const { role, props } = node.element as unknown as BaseChatMessage;
  const calls = callsOf(node);
  const isBare = role !== 3 && !props.name && !calls;
  return kept(
    node,
    isBare
      ? counter.hull(role as Raw.ChatRole, 0, undefined)
      : counter.emptied(rawMessage(node, role as Raw.ChatRole, calls, [])),
  );
}

function overheadAsOriginal({ input: { counter } }: PromptLayout, node: LayoutNode): Maybe<number> {
  const role = (node.element as unknown as BaseChatMessage).role as Raw.ChatRole;
  const { name, toolCalls, toolCallId } = node.props as BasePromptElementProps & {
    readonly name?: string;
    readonly toolCalls?: ToolCall[];
    readonly toolCallId?: string;
  };
  if (!toolCalls && !toolCallId) return kept(node, counter.hull(role, 0, name));
  const tokens = counter.message({
    role,
    content: [],
    ...(name && { name }),
    ...(toolCalls && { toolCalls }),
    ...(toolCallId && { toolCallId }),
  } as unknown as Raw.ChatMessage);
  const calls = toolCallId ? undefined : callsOf(node);
  return calls?.length && calls.every(isAsSent) ? kept(node, tokens) : tokens;
}

/** Whether a call has only members that are sent. */
function isAsSent(call: ToolCall): boolean {
  return call.keepWith === undefined && Object.keys(call).length === 3;
}

/** Caches the frame of the message, so that it is not counted again. */
function kept(node: LayoutNode, tokens: Maybe<number>): Maybe<number> {
  if (isPending(tokens)) return tokens.then((answer) => (node.overhead = answer));
  node.overhead = tokens;
  return tokens;
}

/** Counts a text and caches its count. */
function addText(layout: PromptLayout, text: LayoutText, sum: PendingSum): void {
  const tokens = layout.input.counter.text(text.text);
  if (!isPending(tokens)) text.tokens = tokens;
  sum.add(isPending(tokens) ? tokens.then((answer) => (text.tokens = answer)) : tokens);
}

/** Embedded JSON counts as if it had been rendered here. */
function addEmbedded(layout: PromptLayout, child: LayoutChild, sum: PendingSum): void {
  if (child instanceof LayoutText) addText(layout, child, sum);
  else if (child instanceof LayoutOpaque) sum.add(layout.input.counter.declared(child.part));
  if (!(child instanceof LayoutNode)) return;
  const { kind } = child;
  const overhead = overheadOf(layout, child);
  if (overhead !== undefined) sum.add(overhead);
  if (kind?.isImage || kind?.isDocument) sum.add(mediaTokens(layout, child));
  for (let inner = child.first; inner; inner = inner.next) addEmbedded(layout, inner, sum);
}

function mediaTokens(layout: PromptLayout, node: LayoutNode): Maybe<number> {
  const { counter } = layout.input;
  const { props } = node.element as unknown as {
    readonly props: BasePromptElementProps & {
      readonly src: string;
      readonly detail?: 'low' | 'high' | 'auto';
      readonly mimeType?: string;
      readonly data: string;
      readonly mediaType: string;
    };
  };
  if (node.kind?.isDocument)
    return counter.part({ type: 4, documentData: { data: props.data, mediaType: props.mediaType } });
  const mediaType = props.mimeType ? { mediaType: props.mimeType } : {};
  return counter.part({ type: 0, imageUrl: { url: imageUrl(props.src), detail: props.detail, ...mediaType } });
}
