import type { LayoutNode } from '../layout/node.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import type { RenderRules } from '../rules.ts';
import { type KeySource, materialize } from './materialize.ts';
import { metadataOf } from './messages.ts';
import { Branch, isBranch, type TreeNode } from './node.ts';
import type { RunningCount } from './running-count.ts';

/** A tree during pruning: its nodes and shared state. */
export class PromptTree {
  readonly root: Branch;
  readonly rules: RenderRules;
  readonly keys: KeySource;
  /** Running count of the container being pruned; notified of every change. */
  tally: RunningCount | undefined = undefined;
  /** Incremented on every removal. */
  clock = 1;
  /** Keep-withs being removed, so that they do not remove each other again. */
  readonly leaving = new Set<number>();
  /** Inserted alternatives, in order. */
  readonly revived: Branch[] = [];
  #keepWiths: KeepWithIndex | undefined;

  constructor({
    layout,
    rules,
    ids,
  }: { readonly layout: LayoutNode; readonly rules: RenderRules; readonly ids: number }) {
    this.rules = rules;
    // Allocated at its final size: ids arrive unordered, and a sparse array would become a hash table.
    this.keys = {
      next: 0,
      byId: new Array(ids),
      alternatives: new Map(),
      hasKeepWith: false,
      hasBreakpoint: false,
      hasMetadata: false,
    };
    const root = materialize(layout, this.keys);
    if (!(root instanceof Branch) || root.message) throw new TypeError('root.toChatMessages is not a function');
    this.root = root;
  }

  /** Detaches a child; the caller handles the consequences. */
  detach(node: TreeNode, parent: Branch): void {
    if (node.prev) node.prev.next = node.next;
    else parent.first = node.next;
    if (node.next) node.next.prev = node.prev;
    else parent.last = node.prev;
    node.detachedAt = this.clock++;
    unfill(node);
  }

  /** Index of keep-withs, built on first use. */
  get keepWiths(): KeepWithIndex {
    this.#keepWiths ??= new KeepWithIndex(this.root);
    return this.#keepWiths;
  }

  /** The metadata of the tree, parents before children. */
  metadata(): PromptMetadata[] {
    const { hasMetadata } = this.keys;
    // Metadata of the root belongs to the prompt as a whole.
    return hasMetadata ? metadataOf(this.root) : [...this.root.metadata];
  }

  /** An element by id, if it is still below a branch. */
  find(id: number, below: Branch): Branch | undefined {
    const branch = this.keys.byId[id];
    if (!branch) return undefined;
    for (let at: Branch | undefined = branch; at; at = at.parent) {
      if (at === below) return branch;
      if (!at.isAttached) return undefined;
    }
    return undefined;
  }

  /** Replaces an element by its grown version. */
  replace({ old, fresh, below }: { readonly old: Branch; readonly fresh: Branch; readonly below: Branch }): void {
    const { parent } = old;
    if (!parent || old === below) throw new Error('unreachable: could not find old element to replace');
    const stale = this.rules.grownKeepsPlace ? parent : messageBetween(old, below);
    fresh.parent = parent;
    fresh.prev = old.prev;
    fresh.next = old.next;
    if (old.prev) old.prev.next = fresh;
    else parent.first = fresh;
    if (old.next) old.next.prev = fresh;
    else parent.last = fresh;
    old.setAside();
    unfill(old);
    if (!fresh.isEmpty) fill(fresh);
    if (stale) forgetCounts(stale, undefined);
    this.forgetOrder(parent);
    this.#keepWiths = undefined;
  }

  /** Invalidates the index of keep-withs. */
  forgetKeepWiths(): void {
    this.#keepWiths = undefined;
  }

  /** Invalidates the pruning order from a branch upwards. */
  forgetOrder(branch: Branch): void {
    for (let at: Branch | undefined = branch; at; at = at.parent) at.pruning = undefined;
  }

  /** Also invalidates what breakpoints protect. */
  forgetProtection(branch: Branch): void {
    for (let at: Branch | undefined = branch; at; at = at.parent) at.hasBreakpoint = undefined;
    this.forgetOrder(branch);
  }
}

/** prompt-tsx notices a grown element only in messages between it and the limit it grew for. */
function messageBetween(node: Branch, below: Branch): Branch | undefined {
  for (let at = node.parent; at && at !== below; at = at.parent) if (at.message) return at;
  return undefined;
}

/** A node became empty: its parent may be empty, too. */
export function unfill(node: TreeNode): void {
  for (let at: TreeNode | undefined = node; at?.isFilling; at = at.parent) {
    at.isFilling = false;
    const { parent } = at;
    if (!parent) return;
    parent.filling -= 1;
    if (!parent.isEmpty) return;
  }
}

/** A node became non-empty, and so did its ancestors. */
export function fill(node: TreeNode): void {
  for (let at: TreeNode | undefined = node; at && !at.isFilling; at = at.parent) {
    at.isFilling = true;
    const { parent } = at;
    if (!parent) return;
    parent.filling += 1;
  }
}

/** Invalidates the cached counts of the messages around a change. */
export function forgetCounts(branch: Branch, tally: RunningCount | undefined): void {
  for (let at: Branch | undefined = branch; at; at = at.parent) {
    const { message } = at;
    if (!message) continue;
    message.content = undefined;
    message.sole = undefined;
    message.exact = undefined;
    message.upper = undefined;
    tally?.touch(at, message);
  }
}

/** A node to visit when a keep-with is removed: one of its wrappers, or a message with calls. */
interface KeepWithEntry {
  readonly branch: Branch;
  /** A wrapper of the keep-with, not a message that names it. */
  readonly isHolder: boolean;
  /** Position in a traversal of the whole tree: parents first, last children first. */
  readonly turn: number;
}

/**
 * Index of keep-withs. prompt-tsx traverses the whole tree for each removal; here the traversal is done once, and later
 * only its stops are visited, in the same order.
 */
export class KeepWithIndex {
  readonly #byId = new Map<number, KeepWithEntry[]>();
  /** Messages with an empty call list and nothing else: the traversal removes them in any case. */
  readonly #hollow: KeepWithEntry[] = [];

  constructor(root: Branch) {
    let turn = 0;
    const walk = (node: TreeNode) => {
      if (!isBranch(node)) return;
      node.turn = turn;
      this.#note(node, turn++);
      for (let child = node.last; child; child = child.prev) walk(child);
    };
    walk(root);
  }

  /** The stops of a traversal from the root, in order, taking removals during it into account. */
  *visit(ids: ReadonlySet<number>, tree: PromptTree): Generator<KeepWithEntry> {
    const all = this.#inTurn(ids);
    const steps: { readonly from: number; readonly turn: number }[] = [];
    const start = tree.clock;
    let last: Branch | undefined;
    for (const entry of all) {
      if (entry.branch === last || !this.#isReached(entry.branch, start, steps)) continue;
      last = entry.branch;
      steps.push({ from: tree.clock, turn: entry.turn });
      yield entry;
    }
  }

  /** The entries of one keep-with are already sorted. */
  #inTurn(ids: ReadonlySet<number>): readonly KeepWithEntry[] {
    const [only = -1] = ids;
    if (ids.size === 1 && this.#hollow.length === 0) return this.#byId.get(only) ?? [];
    const entries = [...ids].flatMap((id) => this.#byId.get(id) ?? []);
    return [...entries, ...this.#hollow].sort((a, b) => a.turn - b.turn);
  }

  #note(branch: Branch, turn: number): void {
    const { keepWithId, message } = branch;
    if (keepWithId !== undefined) this.#add(keepWithId, { branch, isHolder: true, turn });
    if (!message?.toolCalls) return;
    const ids = new Set(message.toolCalls.flatMap(({ keepWith }) => (keepWith ? [keepWith.id] : [])));
    for (const id of ids) this.#add(id, { branch, isHolder: false, turn });
    if (branch.isEmpty) this.#hollow.push({ branch, isHolder: false, turn });
  }

  #add(id: number, entry: KeepWithEntry): void {
    const entries = this.#byId.get(id);
    if (entries) entries.push(entry);
    else this.#byId.set(id, [entry]);
  }

  /**
   * A traversal collects a node's children when it visits the node, and visits them even if they were removed since. So
   * a node is reached unless it or an ancestor was removed before the traversal visited its parent.
   */
  #isReached(branch: Branch, start: number, steps: readonly { from: number; turn: number }[]): boolean {
    for (let at: Branch | undefined = branch; at?.parent; at = at.parent) {
      if (at.isAttached) continue;
      if (at.detachedAt < start) return false;
      const { detachedAt } = at;
      const during = steps.findLast(({ from }) => from <= detachedAt);
      if (!during || at.parent.turn >= during.turn) return false;
    }
    return true;
  }
}
