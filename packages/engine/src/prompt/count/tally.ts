import { isPending, type Maybe } from '../layout/maybe.ts';
import { type Branch, isBranch, type Leaf, type TreeNode } from '../tree/node.ts';
import type { TreeCounts } from './message-counts.ts';

/**
 * What a container counts while it is pruned. It is counted whole once; afterwards only what changed is counted again,
 * and what goes is taken off (editor.md 1.9; performance.md B: recounting everything made rendering quadratic).
 */
export class Tally {
  readonly #stamp: number;
  readonly #counts: TreeCounts;
  #container: Branch | undefined;
  #total = 0;
  #overhead: number | undefined;
  #dirty: Branch[] = [];

  constructor({ stamp, counts }: { readonly stamp: number; readonly counts: TreeCounts }) {
    this.#stamp = stamp;
    this.#counts = counts;
  }

  /** Counts everything below a container. */
  start(container: Branch): Maybe<number> {
    this.#container = container;
    const pending: PromiseLike<unknown>[] = [];
    this.#add(container, pending);
    return pending.length > 0 ? Promise.all(pending).then(() => this.#total) : this.#total;
  }

  /** What everything counts now. */
  total(): Maybe<number> {
    if (this.#dirty.length === 0) return this.#total;
    const pending: PromiseLike<unknown>[] = [];
    const dirty = this.#dirty;
    this.#dirty = [];
    for (const branch of dirty) {
      branch.isDirty = false;
      if (branch.tally === this.#stamp) this.#count(branch, this.#counts.exact(branch), pending);
    }
    return pending.length > 0 ? Promise.all(pending).then(() => this.#total) : this.#total;
  }

  /** What the messages count by themselves. */
  overhead(): Maybe<number> {
    if (this.#overhead !== undefined) return this.#overhead;
    const bases: Maybe<number>[] = [];
    if (this.#container) this.#addBases(this.#container, bases);
    const sum = (all: readonly number[]) => {
      this.#overhead = all.reduce((total, tokens) => total + tokens, 0);
      return this.#overhead;
    };
    return bases.some(isPending) ? Promise.all(bases).then(sum) : sum(bases as number[]);
  }

  #addBases(branch: Branch, into: Maybe<number>[]): void {
    for (let child = branch.first; child; child = child.next) {
      if (!isBranch(child)) continue;
      if (!child.message) this.#addBases(child, into);
      else if (child.tally === this.#stamp) into.push(this.#counts.base(child));
    }
  }

  /** A message changed. */
  touch(message: Branch): void {
    if (message.tally !== this.#stamp || message.isDirty) return;
    message.isDirty = true;
    this.#dirty.push(message);
  }

  /** A node went, with all that still stands in it. What goes with the container around it still counts in it. */
  leave(node: TreeNode): void {
    for (let at = this.#container; at; at = at.parent) if (at === node) return;
    this.#takeOff(node);
  }

  #takeOff(node: TreeNode): void {
    if (node.tally === this.#stamp) {
      this.#total -= node.tallied;
      if (this.#overhead !== undefined) this.#overhead -= (isBranch(node) && node.message?.base) || 0;
      node.tally = 0;
      return;
    }
    if (isBranch(node) && !node.message) for (let child = node.first; child; child = child.next) this.#takeOff(child);
  }

  /** A node came. */
  enter(node: TreeNode): void {
    this.#overhead = undefined;
    this.#dirty.push(...this.#unitsIn(node));
  }

  #unitsIn(node: TreeNode): Branch[] {
    if (!isBranch(node)) return [];
    if (!node.message) return node.children.flatMap((child) => this.#unitsIn(child));
    node.tally = this.#stamp;
    node.tallied = 0;
    return [node];
  }

  #add(container: Branch, pending: PromiseLike<unknown>[]): void {
    for (let child = container.first; child; child = child.next) {
      if (!isBranch(child)) this.#unit(child, this.#counts.leaf(child as Leaf), pending);
      else if (child.message) this.#unit(child, this.#counts.exact(child), pending);
      else this.#add(child, pending);
    }
  }

  #unit(node: TreeNode, tokens: Maybe<number>, pending: PromiseLike<unknown>[]): void {
    node.tally = this.#stamp;
    node.tallied = 0;
    this.#count(node, tokens, pending);
  }

  #count(node: TreeNode, tokens: Maybe<number>, pending: PromiseLike<unknown>[]): void {
    if (isPending(tokens)) pending.push(tokens.then((answer) => this.#set(node, answer)));
    else this.#set(node, tokens);
  }

  #set(node: TreeNode, tokens: number): void {
    this.#total += tokens - node.tallied;
    node.tallied = tokens;
  }
}
