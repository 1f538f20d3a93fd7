import type { AbstractKeepWith } from '../elements/keep-with.ts';
import type { BaseChatMessage, ToolCall } from '../elements/messages.ts';
import type { LeafContent, LineBreakBefore } from '../layout/content.ts';
import { FunctionElement } from '../layout/function-element.ts';
import { containerFlags } from '../layout/kind.ts';
import type { LayoutNode } from '../layout/node.ts';
import type * as Raw from '../output/raw.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import type { NodeHeap } from './heap.ts';
import type { PruneQueue } from './queue.ts';

const none: readonly PromptMetadata[] = [];

/** Marks nodes that were never in the tree. */
const never = -1;

/**
 * A prunable node: a container or message (`Branch`), or its content (`Leaf`). There are many, all live until the
 * render ends, so rarely needed state is kept elsewhere.
 */
export abstract class TreeNode {
  /** Unique in the tree, and the same in every tree of a render; parents before children, in document order. */
  readonly key: number;
  /** Kept when the node is removed. */
  parent: Branch | undefined;
  prev: TreeNode | undefined = undefined;
  next: TreeNode | undefined = undefined;
  /** Removal time, 0 while attached; only compared. */
  detachedAt = 0;
  /** Whether the parent counts it as non-empty. */
  isFilling = false;
  /** The running count it belongs to, and its contribution. */
  tally = 0;
  tallied = 0;
  /** The explicit priority, if set: a boxed default in each node would cost memory. */
  readonly #rank: number | undefined;

  /** A priority of `undefined` is the highest. Positional parameters avoid an object per node. */
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

  /** Marks it as not in the tree or replaced. */
  setAside(): void {
    this.detachedAt = never;
  }

  abstract readonly isBranch: boolean;
  abstract readonly metadata: readonly PromptMetadata[];
  /** Whether it has no content for a model. */
  abstract readonly isEmpty: boolean;
}

/** Content of messages: text, image, document, opaque value, breakpoint. */
export class Leaf extends TreeNode {
  readonly #content: LeafContent;
  // Stored directly, since every traversal reads it.
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

  /** Token count, once known. */
  get tokens(): number | undefined {
    return this.#content.tokens;
  }

  set tokens(tokens: number | undefined) {
    this.#content.tokens = tokens;
  }

  get isBreakpoint(): boolean {
    return this.other?.type === 3;
  }

  /** The leaf as a message part. */
  get part(): Raw.ChatCompletionContentPart {
    return this.other ?? { type: 1, text: this.text ?? '' };
  }
}

/** State of a message. */
export class MessageFacts {
  readonly role: Raw.ChatRole;
  toolCalls: readonly ToolCall[] | undefined;
  /** Count of the message without content, once known; reset when a call is removed. */
  overhead: number | undefined;
  /** The content, cached until it changes. */
  content: Raw.ChatCompletionContentPart[] | undefined = undefined;
  /** The only leaf of the content, if there is exactly one text. */
  sole: Leaf | undefined = undefined;
  exact: number | undefined = undefined;
  upper: number | undefined = undefined;
  /** Count with empty texts; once known it is never reset. */
  base: number | undefined = undefined;
  /** Whether its running count is outdated. */
  isDirty = false;

  constructor(role: Raw.ChatRole, toolCalls: readonly ToolCall[] | undefined, overhead: number | undefined) {
    this.role = role;
    this.toolCalls = toolCalls;
    this.overhead = overhead;
  }
}

/** Cached pruning order of a branch. */
export interface PruningState {
  queue: PruneQueue | undefined;
  /** All leaves below, for legacy pruning. */
  leaves: { readonly heap: NodeHeap; readonly all: readonly Leaf[] } | undefined;
  /** Children by priority, and the first that is still attached. */
  byPriority: TreeNode[] | undefined;
  lowestAt: number;
}

/** An element in the tree: a message, or a container around or inside messages. */
export class Branch extends TreeNode {
  /** The element in the layout. */
  readonly source: LayoutNode;
  readonly message: MessageFacts | undefined;
  first: TreeNode | undefined = undefined;
  last: TreeNode | undefined = undefined;
  /** Number of non-empty children. */
  filling = 0;
  /** Whether it contains a breakpoint; cached. */
  hasBreakpoint: boolean | undefined = undefined;
  pruning: PruningState | undefined = undefined;
  /** Traversal order, once keep-withs were indexed. */
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

  /** Id of the element in layout and tracers. */
  get id(): number {
    return this.source.id;
  }

  /** Class name of the element; for a message the speaker's name. */
  get name(): string | undefined {
    const { element } = this.source;
    if (this.message) return (element as unknown as BaseChatMessage).props.name;
    const named: unknown = element instanceof FunctionElement ? element.called : element?.constructor;
    return (named as { readonly name?: string } | undefined)?.name;
  }

  /** Class name of the element, also for a message. */
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

  /** Attached children, in order. */
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

  /** The cached pruning order, created if needed. */
  prunes(): PruningState {
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
 * Whether a node of a traced tree is an element: a message or a container.
 *
 * @example
 * const names = container.children.filter(isBranch).map(({ elementName }) => elementName);
 */
export function isBranch(node: TreeNode): node is Branch {
  return node instanceof Branch;
}

/** Whether a node is a descendant of a branch, with all nodes in between attached. */
export function isWithin(node: TreeNode, branch: Branch): boolean {
  let at: TreeNode | undefined = node;
  for (; at && at !== branch; at = at.parent) if (!at.isAttached) return false;
  return at === branch;
}
