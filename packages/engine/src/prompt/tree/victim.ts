import { Heap } from './heap.ts';
import { type Branch, isBranch, isWithin, type Leaf, type TreeNode } from './node.ts';
import { hasBreakpoint, hasFew, lowestOfFew, PruneQueue } from './queue.ts';

/** The next to go from a container; or, where there is none, the branch in which the search ended. */
export interface Victim {
  readonly node: TreeNode;
  readonly isBlocked: boolean;
}

/**
 * As prompt-tsx decides: the lowest, then the lowest in it; if nothing in there may go, there is none. `guards`: whether
 * there are breakpoints.
 */
export function strictVictim(container: Branch, guards: boolean): Victim {
  for (let at = container; ; ) {
    if (at.isLegacy) {
      const leaf = lowestLeaf(at);
      if (!leaf) throw new Error('No lowest priority node found');
      return { node: leaf, isBlocked: false };
    }
    const next = hasFew(at) ? lowestOfFew(at, guards && isGuarded(at)) : queueOf(at, guards).peek();
    if (!next) return { node: at, isBlocked: true };
    if (goesWhole(next)) return { node: next, isBlocked: false };
    at = next as Branch;
  }
}

/** The same, but what is protected is passed over for the next lowest (editor.md 1.12). */
export function nextVictim(container: Branch, guards: boolean): Victim {
  if (container.isLegacy)
    return { node: lowestLeaf(container) ?? lowestCaller(container) ?? container, isBlocked: false };
  const few = hasFew(container);
  const passed: TreeNode[] = [];
  const guarded = guards && isGuarded(container);
  const peek = () => (few ? lowestOfFew(container, guarded, passed) : queueOf(container, guards).peek());
  for (let next = peek(); next; next = peek()) {
    const victim = goesWhole(next)
      ? { node: next, isBlocked: guards && holdsBreakpoint(next) }
      : nextVictim(next as Branch, guards);
    if (!victim.isBlocked) return victim;
    if (few) passed.push(next);
    else queueOf(container, guards).skip();
  }
  return { node: container, isBlocked: true };
}

/** What holds a breakpoint does not go whole. */
function holdsBreakpoint(node: TreeNode): boolean {
  return isBranch(node) && hasBreakpoint(node);
}

/** Whether the lowest is protected by a breakpoint, whatever else may go. */
export function isBlocked(container: Branch, guards: boolean): Branch | undefined {
  for (let at = container; ; ) {
    if (at.isLegacy) return undefined;
    const queue = queueOf(at, guards);
    if (queue.isHoldingBack()) return at;
    const next = queue.peek();
    if (!next) return at;
    if (goesWhole(next)) return guards && holdsBreakpoint(next) ? (next as Branch) : undefined;
    at = next as Branch;
  }
}

function goesWhole(node: TreeNode): boolean {
  return !isBranch(node) || node.isChunk || !node.first;
}

function queueOf(branch: Branch, guards: boolean): PruneQueue {
  const pruning = branch.prunes();
  pruning.queue ??= new PruneQueue({ container: branch, guarded: guards && isGuarded(branch) });
  return pruning.queue;
}

/** Breakpoints protect messages, and what stands in one, but not parts of what stands in it. */
function isGuarded(branch: Branch): boolean {
  if (branch.message) return true;
  for (let at = branch.parent; at; at = at.parent) if (at.message) return false;
  return true;
}

/** The lowest leaf below a branch, however deep; breakpoints protect nothing here. Messages may have calls and no leaf. */
function lowestLeaf(branch: Branch): TreeNode | undefined {
  const pruning = branch.prunes();
  pruning.leaves ??= leavesOf(branch);
  const { heap, all } = pruning.leaves;
  for (let top = heap.peek(); top !== undefined; top = heap.peek()) {
    const leaf = all[top] as Leaf;
    if (isWithin(leaf, branch)) return leaf;
    heap.pop();
  }
  return undefined;
}

/** The lowest message below a branch of which only calls are left. */
function lowestCaller(branch: Branch): Branch | undefined {
  let lowest: Branch | undefined;
  for (let child = branch.first; child; child = child.next) {
    if (!isBranch(child)) continue;
    const found = child.message ? child : lowestCaller(child);
    if (found && !found.isEmpty && (!lowest || found.priority < lowest.priority)) lowest = found;
  }
  return lowest;
}

function leavesOf(branch: Branch): { readonly heap: Heap; readonly all: readonly Leaf[] } {
  const all: Leaf[] = [];
  const walk = (of: Branch) => {
    for (let child = of.first; child; child = child.next) {
      if (isBranch(child)) walk(child);
      else all.push(child as Leaf);
    }
  };
  walk(branch);
  const priority = (place: number) => (all[place] as Leaf).priority;
  const isBefore = (a: number, b: number) => (priority(a) === priority(b) ? a < b : priority(a) < priority(b));
  const heap = new Heap({ capacity: all.length, isBefore });
  heap.fill(0, all.length);
  return { heap, all };
}
