import type { AbstractKeepWith } from '../elements/keep-with.ts';
import type { BaseChatMessage, ToolCall } from '../elements/messages.ts';
import type { LeafContent, LineBreakBefore } from '../layout/content.ts';
import { FunctionElement } from '../layout/function-element.ts';
import { containerFlags } from '../layout/kind.ts';
import type { LayoutNode } from '../layout/node.ts';
import type * as Raw from '../output/raw.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import type { Heap } from './heap.ts';
import type { PruneQueue } from './queue.ts';

const none: readonly PromptMetadata[] = [];

/** When a node went that never stood in the tree. */
const never = -1;

/**
 * Something in the tree that is pruned: a container or message (`Branch`), or what stands in them (`Leaf`). There are many
 * of them, and all live until the render ends; what only few need is not kept here.
 */
export abstract class TreeNode {
  /** Unique in the tree, and the same in every tree of a render; parents before children, in the order of the text. */
  readonly key: number;
  /** Stays when the node goes. */
  parent: Branch | undefined;
  prev: TreeNode | undefined = undefined;
  next: TreeNode | undefined = undefined;
  /** When it went, 0 while the parent has it; only ever compared. */
  detachedAt = 0;
  /** Whether the parent counts it among what is not empty. */
  isFilling = false;
  /** The tally that counts it, and what it counts there. */
  tally = 0;
  tallied = 0;
  /** The priority, if it was set: the highest there is would take a box of its own in each node. */
  readonly #rank: number | undefined;

  /** A priority of `undefined` is the highest there is. What is told one by one needs no object to be told in. */
  constructor(key: number, parent: Branch | undefined, priority: number | undefined) {
    this.key = key;
    this.parent = parent;
    this.#rank = priority;
  }

  get priority(): number {
    return this.#rank ?? Number.MAX_SAFE_INTEGER;
  }

  /** Whether the parent still has it. */
  get isAttached(): boolean {
    return this.detachedAt === 0;
  }

  /** It does not stand in the tree, or something else stands in its place. */
  setAside(): void {
    this.detachedAt = never;
  }

  abstract readonly isBranch: boolean;
  abstract readonly metadata: readonly PromptMetadata[];
  /** Whether there is nothing in it that a model would read. */
  abstract readonly isEmpty: boolean;
}

/** What stands in messages: text, image, document, opaque value, breakpoint. */
export class Leaf extends TreeNode {
  readonly #content: LeafContent;
  // What every walk asks for is at hand.
  readonly text: string | undefined;
  readonly other: LeafContent['other'];

  constructor(key: number, parent: Branch, priority: number | undefined, content: LeafContent) {
    super(key, parent, priority);
    this.#content = content;
    this.text = content.text;
    this.other = content.other;
  }

  get isBranch(): false {
    return false;
  }

  get lineBreak(): LineBreakBefore {
    return this.#content.lineBreak;
  }

  get metadata(): readonly PromptMetadata[] {
    return this.#content.metadata ?? none;
  }

  get isEmpty(): boolean {
    return this.text !== undefined && !/\S/.test(this.text);
  }

  /** What the part counts, once it was counted. */
  get tokens(): number | undefined {
    return this.#content.tokens;
  }

  set tokens(tokens: number | undefined) {
    this.#content.tokens = tokens;
  }

  get isBreakpoint(): boolean {
    return this.other?.type === 3;
  }

  /** The leaf as a part of a message. */
  get part(): Raw.ChatCompletionContentPart {
    return this.other ?? { type: 1, text: this.text ?? '' };
  }
}

/** What is known of a message. */
export class MessageFacts {
  readonly role: Raw.ChatRole;
  toolCalls: readonly ToolCall[] | undefined;
  /** What the message counts without content, if that was counted; not known any more when a call goes. */
  overhead: number | undefined;
  /** The content, until it changes. */
  content: Raw.ChatCompletionContentPart[] | undefined = undefined;
  /** The only text of the content, if it is one leaf's as it is and that is known. */
  sole: Leaf | undefined = undefined;
  exact: number | undefined = undefined;
  upper: number | undefined = undefined;
  /** What it counts with its texts emptied; once known it stays, whatever goes later. */
  base: number | undefined = undefined;
  /** Whether its count in a tally is out of date. */
  isDirty = false;

  constructor(role: Raw.ChatRole, toolCalls: readonly ToolCall[] | undefined, overhead: number | undefined) {
    this.role = role;
    this.toolCalls = toolCalls;
    this.overhead = overhead;
  }
}

/** What is known of the order in which a branch is pruned. */
export interface Pruning {
  queue: PruneQueue | undefined;
  /** All leaves below, where pruning looks at nothing else. */
  leaves: { readonly heap: Heap; readonly all: readonly Leaf[] } | undefined;
  /** The children, lowest first, and the first of them that is still there. */
  byPriority: TreeNode[] | undefined;
  lowestAt: number;
}

/** An element in the tree: a message, or a container around messages or inside one. */
export class Branch extends TreeNode {
  /** The element as it was laid out. */
  readonly source: LayoutNode;
  readonly message: MessageFacts | undefined;
  first: TreeNode | undefined = undefined;
  last: TreeNode | undefined = undefined;
  /** How many children are not empty. */
  filling = 0;
  /** Whether a breakpoint stands in it, once it was asked. */
  hasBreakpoint: boolean | undefined = undefined;
  pruning: Pruning | undefined = undefined;
  /** When a walk through the tree comes by, once keep-withs were looked for. */
  turn = 0;

  constructor(
    key: number,
    parent: Branch | undefined,
    priority: number | undefined,
    source: LayoutNode,
    message: MessageFacts | undefined,
  ) {
    super(key, parent, priority);
    this.source = source;
    this.message = message;
  }

  get isBranch(): true {
    return true;
  }

  /** The id of the element, as layout and tracers know it. */
  get id(): number {
    return this.source.id;
  }

  /** The name of the element's class; of a message the speaker's. */
  get name(): string | undefined {
    const { element } = this.source;
    if (this.message) return (element as unknown as BaseChatMessage).props.name;
    const named: unknown = element instanceof FunctionElement ? element.called : element?.constructor;
    return (named as { readonly name?: string } | undefined)?.name;
  }

  /** The name of the element's class, also of a message. */
  get elementName(): string | undefined {
    return this.message ? this.source.element?.constructor.name : this.name;
  }

  get keepWithId(): number | undefined {
    return this.source.kind?.isKeepWith ? (this.source.element as unknown as AbstractKeepWith).id : undefined;
  }

  get metadata(): readonly PromptMetadata[] {
    return this.source.metadata ?? none;
  }

  get isEmpty(): boolean {
    return this.filling === 0 && !this.message?.toolCalls?.length;
  }

  /** What still stands in it, in order. */
  get children(): TreeNode[] {
    const children: TreeNode[] = [];
    for (let child = this.first; child; child = child.next) children.push(child);
    return children;
  }

  get isChunk(): boolean {
    return (this.source.flags & containerFlags.chunk) !== 0 && !this.message;
  }

  get isLegacy(): boolean {
    return (this.source.flags & containerFlags.legacy) !== 0 && !this.message;
  }

  get passesPriority(): boolean {
    return (this.source.flags & containerFlags.passPriority) !== 0 && !this.message;
  }

  /** What is known of its order; a place for it, if nothing is. */
  prunes(): Pruning {
    this.pruning ??= { queue: undefined, leaves: undefined, byPriority: undefined, lowestAt: 0 };
    return this.pruning;
  }

  append(child: TreeNode): void {
    child.prev = this.last;
    child.next = undefined;
    if (this.last) this.last.next = child;
    else this.first = child;
    this.last = child;
    child.detachedAt = 0;
    child.isFilling = !child.isEmpty;
    if (child.isFilling) this.filling += 1;
  }
}

/**
 * Whether a node of a traced tree is an element: a message, or a container of messages or in one.
 *
 * @example
 * const names = container.children.filter(isBranch).map(({ elementName }) => elementName);
 */
export function isBranch(node: TreeNode): node is Branch {
  return node instanceof Branch;
}

/** Whether a node stands below a branch, with everything between them. */
export function isWithin(node: TreeNode, branch: Branch): boolean {
  let at: TreeNode | undefined = node;
  for (; at && at !== branch; at = at.parent) if (!at.isAttached) return false;
  return at === branch;
}
