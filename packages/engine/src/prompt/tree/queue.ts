import { Heap } from './heap.ts';
import { lowestPriorityIn } from './lowest.ts';
import { type Branch, isBranch, isWithin, type Leaf, type TreeNode } from './node.ts';

/** Something with a breakpoint in it, and the place from which on candidates are not protected by it. */
interface Guard {
  readonly holder: TreeNode;
  readonly from: number;
}

/**
 * What may go from a container next, lowest first (editor.md 1.10). Built once; what went in the meantime is skipped when
 * it comes up. Candidates before the last breakpoint wait until its holder is gone.
 */
export class PruneQueue {
  readonly #container: Branch;
  /** What may go, in the order of the text: among equals the first goes first. */
  readonly #candidates: TreeNode[] = [];
  /** The priority of each; by themselves, as the order is asked for often and the nodes lie all over the memory. */
  readonly #priorities: Float64Array;
  /** The lowest priority right inside each, once two were equal, and NaN before; it only ever rises. */
  readonly #nested: Float64Array;
  readonly #guards: Guard[] = [];
  readonly #heap: Heap;
  #from: number;

  constructor({ container, guarded }: { readonly container: Branch; readonly guarded: boolean }) {
    this.#container = container;
    this.#collect(container, guarded);
    this.#from = this.#guards.at(-1)?.from ?? 0;
    const capacity = this.#candidates.length;
    this.#priorities = new Float64Array(capacity);
    this.#nested = new Float64Array(capacity).fill(Number.NaN);
    for (let place = 0; place < capacity; place += 1)
      this.#priorities[place] = (this.#candidates[place] as TreeNode).priority;
    this.#heap = new Heap({ capacity, isBefore: (a, b) => this.#isBefore(a, b) });
    this.#heap.fill(this.#from, capacity);
  }

  /** The next to go; `undefined` if a breakpoint protects all there is, or nothing is there. */
  peek(): TreeNode | undefined {
    this.#lower();
    for (let top = this.#heap.peek(); top !== undefined; top = this.#heap.peek()) {
      const node = this.#candidates[top] as TreeNode;
      if (!isWithin(node, this.#container)) {
        this.#heap.pop();
        continue;
      }
      const known = this.#nested[top] as number;
      if (Number.isNaN(known)) return node;
      const nested = nestedOf(node);
      if (nested === known) return node;
      this.#nested[top] = nested;
      this.#heap.settleTop();
    }
    return undefined;
  }

  /** The top cannot go, nor anything in it, as long as the breakpoints in it stay. */
  skip(): void {
    this.#heap.pop();
  }

  /** Whether a breakpoint protects something that would go before the top, if priorities alone decided. */
  isHoldingBack(): boolean {
    this.#lower();
    const top = this.#heap.peek();
    for (let place = 0; place < this.#from; place += 1) {
      const isThere = isWithin(this.#candidates[place] as TreeNode, this.#container);
      if (isThere && (top === undefined || this.#isBefore(place, top))) return true;
    }
    return false;
  }

  #collect(branch: Branch, guarded: boolean): void {
    for (let child = branch.first; child; child = child.next) {
      if (guarded && hasBreakpoint(child)) {
        this.#guards.push({ holder: child, from: this.#candidates.length });
        if (!isBranch(child)) continue;
      }
      if (isBranch(child) && child.passesPriority && child.first) this.#collect(child, guarded);
      else this.#candidates.push(child);
    }
  }

  /** When the holder of the last breakpoint is gone, the one before it decides. */
  #lower(): void {
    let last = this.#guards.at(-1);
    while (last && !isWithin(last.holder, this.#container)) {
      this.#guards.pop();
      last = this.#guards.at(-1);
      const from = last?.from ?? 0;
      this.#heap.fill(from, this.#from);
      this.#from = from;
    }
  }

  #isBefore(a: number, b: number): boolean {
    const one = this.#priorities[a] as number;
    const other = this.#priorities[b] as number;
    if (one !== other) return one < other;
    const inOne = this.#nestedAt(a);
    const inOther = this.#nestedAt(b);
    return inOne === inOther ? a < b : inOne < inOther;
  }

  #nestedAt(place: number): number {
    const known = this.#nested[place] as number;
    if (!Number.isNaN(known)) return known;
    const nested = nestedOf(this.#candidates[place] as TreeNode);
    this.#nested[place] = nested;
    return nested;
  }
}

/** A leaf goes before a container of its priority; of two containers the one with the lowest child. */
function nestedOf(node: TreeNode): number {
  return isBranch(node) ? lowestPriorityIn(node) : -1;
}

/** Few children are looked at each time: a queue for each message would cost more than it saves. */
const few = 6;

/** Whether the next to go is found by looking at all children; not where some of them pass their place on. */
export function hasFew(branch: Branch): boolean {
  let count = 0;
  for (let child = branch.first; child; child = child.next) {
    count += 1;
    if (count > few || (isBranch(child) && child.passesPriority && child.first)) return false;
  }
  return true;
}

/** The next to go of few, as a queue would answer; `except` says what cannot. */
export function lowestOfFew(branch: Branch, guarded: boolean, except?: readonly TreeNode[]): TreeNode | undefined {
  let lowest: TreeNode | undefined;
  for (let child = branch.first; child; child = child.next) {
    if (guarded && hasBreakpoint(child)) {
      lowest = undefined;
      if (!isBranch(child)) continue;
    }
    if (except?.includes(child)) continue;
    if (!lowest || child.priority < lowest.priority) lowest = child;
    else if (child.priority === lowest.priority && nestedOf(child) < nestedOf(lowest)) lowest = child;
  }
  return lowest;
}

/** Asked once: in prompt-tsx a breakpoint that went later protects as before (editor.md 1.12). */
export function hasBreakpoint(node: TreeNode): boolean {
  if (!isBranch(node)) return (node as Leaf).isBreakpoint;
  if (node.hasBreakpoint === undefined) {
    node.hasBreakpoint = false;
    for (let child = node.first; child && !node.hasBreakpoint; child = child.next)
      node.hasBreakpoint = node.message ? !isBranch(child) && (child as Leaf).isBreakpoint : hasBreakpoint(child);
  }
  return node.hasBreakpoint;
}
