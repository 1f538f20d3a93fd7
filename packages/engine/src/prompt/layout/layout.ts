import type { PromptCounter } from '../count/counter.ts';
import type {
  BasePromptElementProps,
  CancellationToken,
  IChatEndpointInfo,
  Progress,
  PromptElement,
  PromptPiece,
  PromptSizing,
} from '../element.ts';
import type { Template } from '../elements/flatten.ts';
import { GroupElement } from '../elements/group.ts';
import { inOrder, isPending, type Maybe, together } from '../maybe-promise.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import type { ChatDocumentContext } from '../results/reference.ts';
import type { UriComponents } from '../results/uri.ts';
import type { RenderRules } from '../rules.ts';
import type { IElementEpochData, ITraceEpoch } from '../trace.ts';
import { fillNode } from './fill.ts';
import { Kinds } from './kind.ts';
import { LayoutNode } from './node.ts';
import { annotated, pathText } from './path.ts';
import { TokenRoom } from './room.ts';

type Element = PromptElement<BasePromptElementProps, unknown>;

/** An element that may grow, with its initial consumption. */
export interface Growable {
  readonly initial: number;
  readonly node: LayoutNode;
}

/** The part of a tracer that layout calls; the whole interface is `ITracer`. */
interface EpochTracer {
  addRenderEpoch?(epoch: ITraceEpoch): void;
  includeInEpoch?(data: IElementEpochData): void;
}

export interface LayoutInput {
  readonly ctor: unknown;
  readonly props: unknown;
  readonly endpoint: IChatEndpointInfo;
  readonly counter: PromptCounter;
  readonly rules: RenderRules;
  readonly tracer: EpochTracer | undefined;
  readonly progress: Progress | undefined;
  readonly token: CancellationToken | undefined;
  /** Throws if the render was canceled. */
  readonly check: () => void;
  readonly createElement: (item: LayoutNode) => Element;
}

/** Renders elements into a tree and gives each its budget (editor.md 1.6). Lives as long as the render. */
export class PromptLayout {
  readonly input: LayoutInput;
  readonly root: LayoutNode;
  readonly limits: { readonly limit: number; readonly id: number }[] = [];
  /** In render order. */
  readonly growables: Growable[] = [];
  readonly usedContext: ChatDocumentContext[] = [];
  readonly ignoredFiles: UriComponents[] = [];
  /** Metadata of the prompt as a whole, not of a position in it. */
  readonly metadata = new Set<PromptMetadata>();
  readonly kinds = new Kinds();
  readonly #countTokens: PromptSizing['countTokens'];
  #lastSizing: PromptSizing | undefined;
  #nextId = 0;

  constructor(input: LayoutInput) {
    this.input = input;
    const { ctor, props } = input;
    this.root = new LayoutNode({ parent: undefined, childIndex: 0, id: this.newId(), ctor, props, children: [] });
    this.root.metadata = [];
    const { tokenizer } = input.counter;
    this.#countTokens = (text, cancellation) =>
      tokenizer.tokenLength(typeof text === 'string' ? { type: 1, text } : text, cancellation);
  }

  /** Number of assigned ids. */
  get ids(): number {
    return this.#nextId;
  }

  newId(): number {
    return this.#nextId++;
  }

  /** Adds metadata of the prompt as a whole, which pruning does not remove. */
  addMetadata(metadata: PromptMetadata): void {
    this.metadata.add(metadata);
    this.root.addMetadata(metadata);
  }

  run(): Maybe<void> {
    const budget = this.input.endpoint.modelMaxPromptTokens;
    return this.place(new TokenRoom({ budget, used: 0 }), [this.root]);
  }

  /** Renders an element again with another budget, into a node that replaces the old one. */
  async regrow({ node, budget }: { readonly node: LayoutNode; readonly budget: number }): Promise<{
    readonly node: LayoutNode;
    readonly consumed: number;
  }> {
    const { rules, token } = this.input;
    const element = node.element as unknown as Element;
    const place = { parent: undefined, childIndex: 0, id: node.id, children: [] };
    const fresh = rules.grownKeepsPlace
      ? new LayoutNode({ ...place, ctor: node.ctor, props: node.props })
      : new LayoutNode({ ...place, ctor: this.input.ctor, props: {} });
    if (rules.grownKeepsPlace && node.kind) fresh.adopt(element as never, node.kind);
    const template = await element.render(undefined, this.#sizing(budget), undefined, token);
    const consumed = await fillNode(this, fresh, template as PromptPiece, budget);
    return { node: fresh, consumed };
  }

  /** Creates the elements and renders them, one flex group after the other. */
  place(room: TokenRoom, nodes: readonly LayoutNode[]): Maybe<void> {
    for (const node of nodes) this.#make(node);
    if (isOneGroup(nodes)) return this.#renderGroup(room, nodes, nothing);
    const groups = groupsOf(nodes);
    return inOrder(groups.length, (index) => this.#renderGroup(room, groups[index] ?? [], groups.slice(index + 1)));
  }

  /** The same for a single element, the common case: without lists. Returns what it consumed. */
  placeOne(node: LayoutNode, left: number): Maybe<number> {
    if (this.input.tracer) {
      const room = new TokenRoom({ budget: left, used: 0 });
      const placed = this.place(room, [node]);
      return isPending(placed) ? placed.then(() => room.used) : room.used;
    }
    this.#make(node);
    this.input.check();
    const sizing = this.#sizingOf(shareOfOne(node, left));
    if (!(node.element as unknown as Element).prepare) return this.#renderOne(node, undefined, sizing);
    const state = this.#call(node, 'prepare', undefined, sizing);
    if (!isPending(state)) return this.#renderOne(node, state, sizing);
    return state.then((answer) => this.#renderOne(node, answer, sizing));
  }

  /** Creates the node of a piece, with a new id. */
  nodeOf({ ctor, props, children }: PromptPiece, parent: LayoutNode): LayoutNode {
    return new LayoutNode({ parent, childIndex: parent.childCount, id: this.newId(), ctor, props, children });
  }

  #make(node: LayoutNode): void {
    if (Array.isArray(node.children)) {
      if (this.input.rules.copiesProps) node.props = { ...node.props, children: node.children };
      else {
        node.props ??= {};
        node.props.children = node.children;
      }
    }
    if (!node.ctor) {
      const place = pathText(node.path);
      throw new Error(
        `Invalid ChatMessage child! Child must be a TSX component that extends PromptElement at ${place}`,
      );
    }
    const element = this.input.createElement(node);
    const kind = this.kinds.of(element as never);
    node.adopt(element as never, kind);
    if (kind.isLimit) this.limits.push({ limit: (node.props as { readonly max?: number }).max as number, id: node.id });
  }

  #renderOne(node: LayoutNode, state: unknown, sizing: PromptSizing): Maybe<number> {
    const rendered = this.#template(node, state, sizing);
    if (!isPending(rendered)) return this.#fill(node, rendered, sizing.tokenBudget);
    return rendered.then((template) => this.#fill(node, template, sizing.tokenBudget));
  }

  #renderGroup(room: TokenRoom, group: readonly LayoutNode[], later: readonly (readonly LayoutNode[])[]): Maybe<void> {
    this.input.check();
    const reserved = reservedBy(later, room);
    room.used += reserved;
    const shares = sharesOf(group, room);
    room.used -= reserved;
    if (this.input.tracer) this.#trace(room, group, shares, reserved);
    const sizings = typeof shares === 'number' ? this.#sizingOf(shares) : shares.map((share) => this.#sizingOf(share));
    const prepared = this.#prepare(group, sizings);
    if (isPending(prepared)) return prepared.then((states) => this.#render(room, group, sizings, states));
    return this.#render(room, group, sizings, prepared);
  }

  #prepare(group: readonly LayoutNode[], sizings: Sizings): Maybe<unknown[] | undefined> {
    let states: Maybe<unknown>[] | undefined;
    for (let at = 0; at < group.length; at += 1) {
      const node = group[at] as LayoutNode;
      if (!(node.element as unknown as Element).prepare) continue;
      const state = this.#call(node, 'prepare', undefined, sizingAt(sizings, at));
      if (state === undefined) continue;
      states ??= new Array(group.length);
      states[at] = state;
    }
    return states && together(states);
  }

  #render(
    room: TokenRoom,
    group: readonly LayoutNode[],
    sizings: Sizings,
    states: readonly unknown[] | undefined,
  ): Maybe<void> {
    const calls = new Array<Maybe<Template | undefined>>(group.length);
    for (let at = 0; at < group.length; at += 1)
      calls[at] = this.#template(group[at] as LayoutNode, states?.[at], sizingAt(sizings, at));
    const rendered = together(calls);
    if (isPending(rendered)) return rendered.then((templates) => this.#settleAll(room, group, templates, sizings));
    return this.#settleAll(room, group, rendered, sizings);
  }

  #settleAll(
    room: TokenRoom,
    group: readonly LayoutNode[],
    templates: readonly (Template | undefined)[],
    sizings: Sizings,
  ): Maybe<void> {
    return inOrder(group.length, (at) =>
      this.#settle(room, group[at] as LayoutNode, templates[at], sizingAt(sizings, at).tokenBudget),
    );
  }

  /**
   * Calls a method of an element. Errors name the element; all elements of a group are called, even after a failure.
   */
  #call(node: LayoutNode, method: 'prepare' | 'render', state: unknown, sizing: PromptSizing): Maybe<unknown> {
    const { progress, token } = this.input;
    const element = node.element as unknown as Element;
    try {
      const value =
        method === 'prepare'
          ? element.prepare?.(sizing, progress, token)
          : element.render(state, sizing, progress, token);
      if (!isPending(value)) return value;
      return value.then(undefined, (error) => {
        throw annotated(error, node);
      });
    } catch (error) {
      return Promise.reject(annotated(error, node));
    }
  }

  /** The output of an element. Group elements are not called. */
  #template(node: LayoutNode, state: unknown, sizing: PromptSizing): Maybe<Template | undefined> {
    const { render, props } = node.element as unknown as Element;
    if (render === GroupElement.prototype.render && Array.isArray(props.children)) return props.children;
    return this.#call(node, 'render', state, sizing) as Maybe<PromptPiece | undefined>;
  }

  #settle(room: TokenRoom, node: LayoutNode, template: Template | undefined, budget: number): Maybe<void> {
    const consumed = this.#fill(node, template, budget);
    if (!isPending(consumed)) room.used += consumed;
    else
      return consumed.then((tokens) => {
        room.used += tokens;
      });
  }

  #fill(node: LayoutNode, template: Template | undefined, budget: number): Maybe<number> {
    if (!template) return 0;
    const consumed = fillNode(this, node, template, budget);
    if (!node.kind?.isExpandable) return consumed;
    if (!isPending(consumed)) return this.#mayGrow(node, consumed);
    return consumed.then((initial) => this.#mayGrow(node, initial));
  }

  #mayGrow(node: LayoutNode, initial: number): number {
    this.growables.push({ initial, node });
    return initial;
  }

  #sizing(tokenBudget: number): PromptSizing {
    return { tokenBudget, endpoint: this.input.endpoint, countTokens: this.#countTokens };
  }

  /** Consecutive elements with the same share get the same object. */
  #sizingOf(share: number): PromptSizing {
    if (this.#lastSizing?.tokenBudget !== share) this.#lastSizing = this.#sizing(share);
    return this.#lastSizing;
  }

  #trace(
    room: TokenRoom,
    group: readonly LayoutNode[],
    shares: number | readonly number[],
    reservedTokens: number,
  ): void {
    this.input.tracer?.addRenderEpoch?.({
      inNode: group[0]?.parent?.id,
      flexValue: group[0]?.props.flexGrow ?? 0,
      tokenBudget: room.left,
      reservedTokens,
      elements: group.map(({ id }, at) => ({
        id,
        tokenBudget: typeof shares === 'number' ? shares : (shares[at] ?? 0),
      })),
    });
  }
}

/** The sizing of the elements of a group: usually the same for all. */
type Sizings = PromptSizing | readonly PromptSizing[];

function sizingAt(sizings: Sizings, at: number): PromptSizing {
  return Array.isArray(sizings)
    ? ((sizings as readonly PromptSizing[])[at] as PromptSizing)
    : (sizings as PromptSizing);
}

const nothing: readonly never[] = [];

/** Whether all of them render together, the common case. */
function isOneGroup(nodes: readonly LayoutNode[]): boolean {
  const first = nodes[0]?.props.flexGrow;
  for (let at = 1; at < nodes.length; at += 1) if (nodes[at]?.props.flexGrow !== first) return false;
  return true;
}

/** Groups that render together, in render order. */
function groupsOf(nodes: readonly LayoutNode[]): (readonly LayoutNode[])[] {
  const byGrow = Map.groupBy(nodes, ({ props }) => props.flexGrow ?? Number.POSITIVE_INFINITY);
  return [...byGrow].sort(([a], [b]) => b - a).map(([, group]) => group);
}

/** The properties of an element that determine its share. */
interface Sharer {
  readonly props: BasePromptElementProps & { readonly max?: number };
  readonly kind: { readonly isLimit: boolean } | undefined;
}

/** Tokens reserved by later groups; each `/N` is relative to the same total (editor.md 1.6.2). */
function reservedBy(later: readonly (readonly Sharer[])[], room: TokenRoom): number {
  let reserved = 0;
  for (const group of later) {
    for (const { props } of group) {
      const { flexReserve } = props;
      if (!flexReserve) continue;
      reserved += typeof flexReserve === 'string' ? Math.floor(room.left / Number(flexReserve.slice(1))) : flexReserve;
    }
  }
  return reserved;
}

/**
 * The share of each element in a group; a single number if equal for all. A limit below its share is locked: it leaves
 * the pool, and earlier elements shrink the pool for later ones (editor.md 1.6.3).
 */
function sharesOf(group: readonly Sharer[], room: TokenRoom): number | number[] {
  let pool = 0;
  for (const { props } of group) pool += props.flexBasis ?? 1;
  const { left } = room;
  if (group.every(isPlain)) return Math.floor(left * (1 / pool));
  let lockedTokens = 0;
  const locked = new Set<Sharer>();
  for (const sharer of group) {
    const limit = limitOf(sharer);
    if (limit === undefined) continue;
    const basis = sharer.props.flexBasis ?? 1;
    if (Math.floor(left * (basis / pool)) < limit) continue;
    pool -= basis;
    lockedTokens += limit;
    locked.add(sharer);
  }
  return group.map((sharer) =>
    locked.has(sharer)
      ? (limitOf(sharer) as number)
      : Math.floor((left - lockedTokens) * ((sharer.props.flexBasis ?? 1) / pool)),
  );
}

/** The same for a group with one element. */
function shareOfOne(sharer: Sharer, left: number): number {
  const basis = sharer.props.flexBasis ?? 1;
  // A basis of 0 has no share of itself; then any limit applies.
  const share = Math.floor(left * (basis / basis));
  const limit = limitOf(sharer);
  return limit === undefined || share < limit ? share : limit;
}

function isPlain({ props, kind }: Sharer): boolean {
  return props.flexBasis === undefined && !kind?.isLimit;
}

/** The `max` of a `TokenLimit`. */
function limitOf({ props, kind }: Sharer): number | undefined {
  return kind?.isLimit ? props.max : undefined;
}
