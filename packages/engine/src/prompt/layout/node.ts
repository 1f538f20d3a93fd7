import type { BasePromptElementProps, PromptElement, PromptPieceChild } from '../element.ts';
import type * as Raw from '../output/raw.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import { type LeafContent, type LineBreakBefore, lineBreaks } from './content.ts';
import { containerFlags, type ElementKind } from './kind.ts';
import { pathOf } from './path.ts';

export type LayoutChild = LayoutNode | LayoutText | LayoutOpaque | LayoutBreakpoint;

/** An element: first what to create, then what it rendered to, with its children. */
export class LayoutNode {
  readonly parent: LayoutNode | undefined;
  /** Index among its siblings. */
  readonly childIndex: number;
  readonly id: number;
  ctor: unknown;
  props: BasePromptElementProps & { children?: PromptPieceChild[] };
  /** The original children. */
  readonly children: PromptPieceChild[];
  element: PromptElement<never, never> | undefined = undefined;
  kind: ElementKind | undefined = undefined;
  flags = 0;
  metadata: PromptMetadata[] | undefined = undefined;
  /** Count of the message without content, once known. */
  overhead: number | undefined = undefined;
  /** Children by index, as a linked list. */
  first: LayoutChild | undefined = undefined;
  last: LayoutChild | undefined = undefined;
  next: LayoutChild | undefined = undefined;
  childCount = 0;

  constructor(of: {
    parent: LayoutNode | undefined;
    childIndex: number;
    id: number;
    ctor: unknown;
    props: unknown;
    children: PromptPieceChild[];
  }) {
    this.parent = of.parent;
    this.childIndex = of.childIndex;
    this.id = of.id;
    this.ctor = of.ctor;
    this.props = of.props as BasePromptElementProps;
    this.children = of.children;
  }

  /** Classes from the root to this one. */
  get path(): unknown[] {
    return pathOf(this);
  }

  adopt(element: PromptElement<never, never>, kind: ElementKind): void {
    this.element = element;
    this.kind = kind;
    this.flags |= kind.flags;
    if ((element as PromptElement).props.passPriority) this.flags |= containerFlags.passPriority;
  }

  /** Inserts a child by index; equal indices keep insertion order. */
  append(child: LayoutChild): void {
    this.childCount += 1;
    const { last } = this;
    if (!last) {
      this.first = child;
      this.last = child;
    } else if (last.childIndex <= child.childIndex) {
      last.next = child;
      this.last = child;
    } else this.#insert(child);
  }

  addMetadata(metadata: PromptMetadata): void {
    this.metadata ??= [];
    this.metadata.push(metadata);
  }

  /** The element and all descendants, parents first. */
  *elements(): Generator<LayoutNode> {
    yield this;
    for (let child = this.first; child; child = child.next) if (child instanceof LayoutNode) yield* child.elements();
  }

  #insert(child: LayoutChild): void {
    let before: LayoutChild | undefined;
    for (let at = this.first; at && at.childIndex <= child.childIndex; at = at.next) before = at;
    child.next = before ? before.next : this.first;
    if (before) before.next = child;
    else this.first = child;
  }
}

/** A text in an element. */
export class LayoutText implements LeafContent {
  readonly childIndex: number;
  readonly text: string;
  /** `undefined` for the highest priority. */
  readonly priority: number | undefined;
  readonly metadata: readonly PromptMetadata[] | undefined;
  /** Whether it starts on a line of its own. */
  readonly lineBreakBefore: boolean;
  /** Token count, once known. */
  tokens: number | undefined;
  next: LayoutChild | undefined = undefined;

  constructor(of: {
    childIndex: number;
    text: string;
    priority: number | undefined;
    metadata: readonly PromptMetadata[] | undefined;
    lineBreakBefore: boolean;
    tokens: number | undefined;
  }) {
    this.childIndex = of.childIndex;
    this.text = of.text;
    this.priority = of.priority;
    this.metadata = of.metadata;
    this.lineBreakBefore = of.lineBreakBefore;
    this.tokens = of.tokens;
  }

  get other(): undefined {
    return undefined;
  }

  get lineBreak(): LineBreakBefore {
    if (this.lineBreakBefore) return lineBreaks.always;
    return this.childIndex === 0 ? lineBreaks.ifNotTextSibling : lineBreaks.none;
  }
}

/** A value that is passed to the output unchanged. */
export class LayoutOpaque {
  readonly childIndex: number;
  readonly part: Raw.ChatCompletionContentPartOpaque;
  readonly priority: number | undefined;
  next: LayoutChild | undefined = undefined;

  constructor(of: { childIndex: number; part: Raw.ChatCompletionContentPartOpaque; priority: number | undefined }) {
    this.childIndex = of.childIndex;
    this.part = of.part;
    this.priority = of.priority;
  }
}

/** A cache breakpoint in a message. */
export class LayoutBreakpoint {
  readonly childIndex: number;
  readonly part: Raw.ChatCompletionContentPartCacheBreakpoint;
  next: LayoutChild | undefined = undefined;

  constructor(of: { childIndex: number; part: Raw.ChatCompletionContentPartCacheBreakpoint }) {
    this.childIndex = of.childIndex;
    this.part = of.part;
  }
}
