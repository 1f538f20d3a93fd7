import { NodeHeap } from './heap.ts';
import { type Branch, isBranch, isWithin, type Leaf, type TreeNode } from './node.ts';

/** A node with a breakpoint, and the index from which candidates are not protected by it. */
interface BreakpointGuard {
  readonly holder: TreeNode;
  readonly from: number;
}

/**
 * Candidates of a container, lowest first (editor.md 1.10). Built once; removed nodes are skipped lazily. Candidates
 * before the last breakpoint wait until its node is removed.
 */
export class PruneQueue {
  readonly #container: Branch;
  /** Candidates in document order: among equals the first is pruned first. */
  readonly #candidates: TreeNode[] = [];
  /** Priorities in a separate array, since comparisons are frequent and nodes are scattered in memory. */
  readonly #priorities: Float64Array;
  /** The lowest child priority of each, computed on the first tie, NaN before; only increases. */
  readonly #nested: Float64Array;
  readonly #guards: BreakpointGuard[] = [];
  readonly #heap: NodeHeap;
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
    this.#heap = new NodeHeap({ capacity, isBefore: (a, b) => this.#isBefore(a, b) });
    this.#heap.fill(this.#from, capacity);
  }

  /** The next candidate; `undefined` if breakpoints protect all of them, or there are none. */
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

  /** The top cannot be pruned as long as its breakpoints stay. */
  skip(): void {
    this.#heap.pop();
  }

  /** Whether a breakpoint protects a candidate with a lower priority than the top. */
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

  /** When the node of the last breakpoint is removed, the previous one applies. */
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

/** A leaf is pruned before a container of equal priority; of two containers the one with the lowest child. */
function nestedOf(node: TreeNode): number {
  return isBranch(node) ? lowestPriorityIn(node) : -1;
}

/** With few children a scan is cheaper than a queue. */
const few = 6;

/** Whether a scan of all children finds the next candidate; not if some pass their priority on. */
export function hasFew(branch: Branch): boolean {
  let count = 0;
  for (let child = branch.first; child; child = child.next) {
    count += 1;
    if (count > few || (isBranch(child) && child.passesPriority && child.first)) return false;
  }
  return true;
}

/** The next candidate among few children, as a queue would return it; `except` excludes nodes. */
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

/** Cached: in prompt-tsx a removed breakpoint still protects (editor.md 1.12). */
export function hasBreakpoint(node: TreeNode): boolean {
  if (!isBranch(node)) return (node as Leaf).isBreakpoint;
  if (node.hasBreakpoint === undefined) {
    node.hasBreakpoint = false;
    for (let child = node.first; child && !node.hasBreakpoint; child = child.next)
      node.hasBreakpoint = node.message ? !isBranch(child) && (child as Leaf).isBreakpoint : hasBreakpoint(child);
  }
  return node.hasBreakpoint;
}

/** Few children are scanned; many are sorted once. */
const scanLimit = 8;

/** The lowest priority among the children of a branch; the highest value if it is empty. */
function lowestPriorityIn(branch: Branch): number {
  if (!branch.pruning?.byPriority) {
    let lowest = Number.MAX_SAFE_INTEGER;
    let child = branch.first;
    for (let count = 0; child && count < scanLimit; child = child.next, count += 1)
      lowest = Math.min(lowest, child.priority);
    if (!child) return lowest;
  }
  const state = branch.prunes();
  state.byPriority ??= sorted(branch);
  while (state.byPriority[state.lowestAt]?.isAttached === false) state.lowestAt += 1;
  return Math.min(state.byPriority[state.lowestAt]?.priority ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

function sorted(branch: Branch): TreeNode[] {
  return branch.children.sort((a, b) => a.priority - b.priority);
}
