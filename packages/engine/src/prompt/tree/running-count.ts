import { isPending, type Maybe, PendingSum } from '../maybe-promise.ts';
import type { TreeCounts } from './message-counts.ts';
import { type Branch, isBranch, type Leaf, type MessageFacts, type TreeNode } from './node.ts';

/**
 * The token count of a container while it is pruned. It is counted completely once; afterwards only changes are
 * counted, and removed nodes are subtracted (editor.md 1.9; performance.md B: recounting everything made rendering
 * quadratic).
 */
export class RunningCount {
  readonly #stamp: number;
  readonly #counts: TreeCounts;
  #container: Branch | undefined;
  #total = 0;
  #overhead: number | undefined;
  #dirty: TreeNode[] | undefined;
  /** Pending counts. */
  #pending: PromiseLike<unknown>[] | undefined;

  constructor({ stamp, counts }: { readonly stamp: number; readonly counts: TreeCounts }) {
    this.#stamp = stamp;
    this.#counts = counts;
  }

  /** Counts everything below a container. */
  start(container: Branch): Maybe<number> {
    this.#container = container;
    this.#add(container);
    return this.#settled();
  }

  /** The current total. */
  total(): Maybe<number> {
    const dirty = this.#dirty;
    if (!dirty) return this.#total;
    this.#dirty = undefined;
    for (const node of dirty) {
      if (isBranch(node) && node.message) node.message.isDirty = false;
      if (node.tally === this.#stamp)
        this.#count(node, isBranch(node) ? this.#counts.exact(node) : this.#counts.leaf(node as Leaf));
    }
    return this.#settled();
  }

  /** The base cost of the messages. */
  overhead(): Maybe<number> {
    if (this.#overhead !== undefined) return this.#overhead;
    const bases = new PendingSum();
    if (this.#container) this.#addBases(this.#container, bases);
    const total = bases.total();
    const keep = (tokens: number) => (this.#overhead = tokens);
    return isPending(total) ? total.then(keep) : keep(total);
  }

  #addBases(branch: Branch, into: PendingSum): void {
    for (let child = branch.first; child; child = child.next) {
      if (!isBranch(child)) continue;
      if (!child.message) this.#addBases(child, into);
      else if (child.tally === this.#stamp) into.add(this.#counts.base(child));
    }
  }

  /** A message changed. */
  touch(branch: Branch, facts: MessageFacts): void {
    if (branch.tally !== this.#stamp || facts.isDirty) return;
    facts.isDirty = true;
    this.#dirty ??= [];
    this.#dirty.push(branch);
  }

  /** A node was removed with its descendants. Nodes that are removed with their container still count in it. */
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

  /** A node was added. It counts if the container is an ancestor; inside a counted message, the message changed. */
  enter(node: TreeNode): void {
    for (let at = node.parent; at !== this.#container; at = at.parent) if (!at || at.message) return;
    this.#overhead = undefined;
    this.#dirty ??= [];
    this.#enterUnits(node, this.#dirty);
  }

  #enterUnits(node: TreeNode, into: TreeNode[]): void {
    if (isBranch(node) && !node.message) {
      for (let child = node.first; child; child = child.next) this.#enterUnits(child, into);
      return;
    }
    node.tally = this.#stamp;
    node.tallied = 0;
    into.push(node);
  }

  #add(container: Branch): void {
    for (let child = container.first; child; child = child.next) {
      if (!isBranch(child)) this.#unit(child, this.#counts.leaf(child as Leaf));
      else if (child.message) {
        // Another running count may have been abandoned before it recounted.
        child.message.isDirty = false;
        this.#unit(child, this.#counts.exact(child));
      } else this.#add(child);
    }
  }

  #unit(node: TreeNode, tokens: Maybe<number>): void {
    node.tally = this.#stamp;
    node.tallied = 0;
    this.#count(node, tokens);
  }

  #count(node: TreeNode, tokens: Maybe<number>): void {
    if (isPending(tokens)) {
      this.#pending ??= [];
      this.#pending.push(tokens.then((answer) => this.#set(node, answer)));
    } else this.#set(node, tokens);
  }

  #settled(): Maybe<number> {
    const pending = this.#pending;
    if (!pending) return this.#total;
    this.#pending = undefined;
    return Promise.all(pending).then(() => this.#total);
  }

  #set(node: TreeNode, tokens: number): void {
    this.#total += tokens - node.tallied;
    node.tallied = tokens;
  }
}
