import type { Counter } from '../count/counter.ts';
import type { PromptElement } from '../element.ts';
import type { ChatDocumentContext } from '../jsx.ts';
import type {
  BasePromptElementProps,
  CancellationToken,
  IChatEndpointInfo,
  Progress,
  PromptPiece,
  PromptSizing,
} from '../piece.ts';
import type { UriComponents } from '../results/uri.ts';
import type { Rules } from '../rules.ts';
import type { ITracer } from '../trace.ts';
import { fillNode } from './fill.ts';
import { Kinds } from './kind.ts';
import { inOrder, isPending, type Maybe, together } from './maybe.ts';
import { LayoutNode } from './node.ts';
import { annotated, pathText } from './path.ts';
import { Room } from './room.ts';
import { reservedBy, sharesOf } from './shares.ts';

type Element = PromptElement<BasePromptElementProps, unknown>;

/** An element that may grow, with what it consumed at first. */
export interface Growable {
  readonly initial: number;
  readonly node: LayoutNode;
}

export interface LayoutInput {
  readonly ctor: unknown;
  readonly props: unknown;
  readonly endpoint: IChatEndpointInfo;
  readonly counter: Counter;
  readonly rules: Rules;
  readonly tracer: ITracer | undefined;
  readonly progress: Progress | undefined;
  readonly token: CancellationToken | undefined;
  /** Throws when the render is to stop. */
  readonly check: () => void;
  readonly createElement: (item: LayoutNode) => Element;
}

/** Renders elements into a tree, telling each what it has (editor.md 1.6). It lives as long as the render. */
export class Layout {
  readonly input: LayoutInput;
  readonly root: LayoutNode;
  readonly limits: { readonly limit: number; readonly id: number }[] = [];
  /** In the order in which they were rendered. */
  readonly growables: Growable[] = [];
  readonly usedContext: ChatDocumentContext[] = [];
  readonly ignoredFiles: UriComponents[] = [];
  readonly kinds = new Kinds();
  readonly #countTokens: PromptSizing['countTokens'];
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

  newId(): number {
    return this.#nextId++;
  }

  run(): Maybe<void> {
    const budget = this.input.endpoint.modelMaxPromptTokens;
    return this.place(new Room({ budget, used: 0 }), [this.root]);
  }

  /** Renders an element anew with another budget, into a node that replaces the old one. */
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
    const consumed = await fillNode({ layout: this, node: fresh, element, template: template as PromptPiece, budget });
    return { node: fresh, consumed };
  }

  /** Makes the elements and renders them, one flex group after the other. */
  place(room: Room, nodes: readonly LayoutNode[]): Maybe<void> {
    for (const node of nodes) this.#make(node);
    const groups = groupsOf(nodes);
    if (groups.length === 1) return this.#renderGroup(room, groups, 0);
    return inOrder(groups.length, (index) => this.#renderGroup(room, groups, index));
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

  #renderGroup(room: Room, groups: readonly (readonly LayoutNode[])[], index: number): Maybe<void> {
    this.input.check();
    const group = groups[index] ?? [];
    const reserved = groups.length > 1 ? reservedBy(groups.slice(index + 1), room) : 0;
    room.used += reserved;
    const shares = sharesOf(group, room);
    room.used -= reserved;
    if (this.input.tracer) this.#trace(room, group, shares, reserved);
    const sizings = this.#sizings(shares);
    const prepared = this.#prepare(group, sizings);
    if (isPending(prepared)) return prepared.then((states) => this.#render(room, group, sizings, states));
    return this.#render(room, group, sizings, prepared);
  }

  #prepare(group: readonly LayoutNode[], sizings: readonly PromptSizing[]): Maybe<unknown[] | undefined> {
    let states: Maybe<unknown>[] | undefined;
    for (let at = 0; at < group.length; at += 1) {
      const node = group[at] as LayoutNode;
      if (!(node.element as unknown as Element).prepare) continue;
      states ??= new Array(group.length);
      states[at] = this.#call(node, 'prepare', undefined, sizings[at] as PromptSizing);
    }
    return states && together(states);
  }

  #render(
    room: Room,
    group: readonly LayoutNode[],
    sizings: readonly PromptSizing[],
    states: readonly unknown[] | undefined,
  ): Maybe<void> {
    const rendered = together(
      group.map((node, at) => this.#call(node, 'render', states?.[at], sizings[at] as PromptSizing)),
    ) as Maybe<(PromptPiece | undefined)[]>;
    const settle = (templates: readonly (PromptPiece | undefined)[]) =>
      inOrder(group.length, (at) =>
        this.#settle(room, group[at] as LayoutNode, templates[at], sizings[at]?.tokenBudget ?? 0),
      );
    return isPending(rendered) ? rendered.then(settle) : settle(rendered);
  }

  /** Calls into an element. An error says which; all elements of a group are called, also after one failed. */
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

  #settle(room: Room, node: LayoutNode, template: PromptPiece | undefined, budget: number): Maybe<void> {
    if (!template) return;
    const element = node.element as unknown as Element;
    const consumed = fillNode({ layout: this, node, element, template, budget });
    if (isPending(consumed)) return consumed.then((tokens) => this.#tally(room, node, tokens));
    this.#tally(room, node, consumed);
  }

  #tally(room: Room, node: LayoutNode, consumed: number): void {
    if (node.kind?.isExpandable) this.growables.push({ initial: consumed, node });
    room.used += consumed;
  }

  #sizing(tokenBudget: number): PromptSizing {
    return { tokenBudget, endpoint: this.input.endpoint, countTokens: this.#countTokens };
  }

  /** Elements with the same share are told by the same object. */
  #sizings(shares: readonly number[]): PromptSizing[] {
    let last = this.#sizing(shares[0] ?? 0);
    return shares.map((share) => {
      if (share !== last.tokenBudget) last = this.#sizing(share);
      return last;
    });
  }

  #trace(room: Room, group: readonly LayoutNode[], shares: readonly number[], reservedTokens: number): void {
    this.input.tracer?.addRenderEpoch?.({
      inNode: group[0]?.parent?.id,
      flexValue: group[0]?.props.flexGrow ?? 0,
      tokenBudget: room.left,
      reservedTokens,
      elements: group.map(({ id }, at) => ({ id, tokenBudget: shares[at] ?? 0 })),
    });
  }
}

/** What renders together, the first group first. Most often that is everything. */
function groupsOf(nodes: readonly LayoutNode[]): (readonly LayoutNode[])[] {
  const first = nodes[0]?.props.flexGrow;
  if (nodes.every(({ props }) => props.flexGrow === first)) return [nodes];
  const byGrow = Map.groupBy(nodes, ({ props }) => props.flexGrow ?? Number.POSITIVE_INFINITY);
  return [...byGrow].sort(([a], [b]) => b - a).map(([, group]) => group);
}
