import type { LayoutNode } from '../layout/node.ts';
import type { PromptMetadata } from '../results/metadata.ts';
import type { Rules } from '../rules.ts';
import { KeepWithIndex } from './keep-with.ts';
import { type KeySource, materialize } from './materialize.ts';
import { metadataOf } from './messages.ts';
import { Branch, type TreeNode } from './node.ts';
import type { Tally } from './running-count.ts';

/** A tree while it is pruned: the nodes, and what has to be known across them. */
export class Tree {
  readonly root: Branch;
  readonly rules: Rules;
  readonly keys: KeySource;
  /** Counts what is being pruned; told of whatever changes. */
  tally: Tally | undefined = undefined;
  /** Passes on every removal. */
  clock = 1;
  /** Keep-withs that are being removed: one of them does not remove the others again. */
  readonly leaving = new Set<number>();
  /** Alternatives that came in for what went, in order. */
  readonly revived: Branch[] = [];
  #keepWiths: KeepWithIndex | undefined;

  constructor({ layout, rules, ids }: { readonly layout: LayoutNode; readonly rules: Rules; readonly ids: number }) {
    this.rules = rules;
    // As long as it will be: ids come in no order, and an array that is filled in none becomes a table of hashes.
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

  /** Takes a child out of its parent; what that leads to is the caller's to say. */
  detach(node: TreeNode, parent: Branch): void {
    if (node.prev) node.prev.next = node.next;
    else parent.first = node.next;
    if (node.next) node.next.prev = node.prev;
    else parent.last = node.prev;
    node.detachedAt = this.clock++;
    unfill(node);
  }

  /** Where keep-withs stand; found when the first one goes. */
  get keepWiths(): KeepWithIndex {
    this.#keepWiths ??= new KeepWithIndex(this.root);
    return this.#keepWiths;
  }

  /** The metadata of all that stands in the tree, parents before children. */
  metadata(): PromptMetadata[] {
    const { hasMetadata } = this.keys;
    // What the root has belongs to the prompt as a whole.
    return hasMetadata ? metadataOf(this.root) : [...this.root.metadata];
  }

  /** An element by its id, if it still stands below a branch. */
  find(id: number, below: Branch): Branch | undefined {
    const branch = this.keys.byId[id];
    if (!branch) return undefined;
    for (let at: Branch | undefined = branch; at; at = at.parent) {
      if (at === below) return branch;
      if (!at.isAttached) return undefined;
    }
    return undefined;
  }

  /** Puts an element that grew in the place of what it was. */
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

  /** Where keep-withs stand is looked at anew. */
  forgetKeepWiths(): void {
    this.#keepWiths = undefined;
  }

  /** The order of pruning is looked at anew, from a branch upwards. */
  forgetOrder(branch: Branch): void {
    for (let at: Branch | undefined = branch; at; at = at.parent) at.pruning = undefined;
  }

  /** The same, and what breakpoints protect is looked at anew as well. */
  forgetProtection(branch: Branch): void {
    for (let at: Branch | undefined = branch; at; at = at.parent) at.hasBreakpoint = undefined;
    this.forgetOrder(branch);
  }
}

/** prompt-tsx notices that an element grew only in messages between it and the limit it grew for. */
function messageBetween(node: Branch, below: Branch): Branch | undefined {
  for (let at = node.parent; at && at !== below; at = at.parent) if (at.message) return at;
  return undefined;
}

/** A node is no longer something: its parent may be nothing, too. */
export function unfill(node: TreeNode): void {
  for (let at: TreeNode | undefined = node; at?.isFilling; at = at.parent) {
    at.isFilling = false;
    const { parent } = at;
    if (!parent) return;
    parent.filling -= 1;
    if (!parent.isEmpty) return;
  }
}

/** A node is something now, and so is what it stands in. */
export function fill(node: TreeNode): void {
  for (let at: TreeNode | undefined = node; at && !at.isFilling; at = at.parent) {
    at.isFilling = true;
    const { parent } = at;
    if (!parent) return;
    parent.filling += 1;
  }
}

/** What is known of the messages around a change is known no more. */
export function forgetCounts(branch: Branch, tally: Tally | undefined): void {
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
