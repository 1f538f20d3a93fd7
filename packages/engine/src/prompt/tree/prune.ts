import type { PruneReason } from '../trace.ts';
import { NodeHeap } from './heap.ts';
import { type Branch, isBranch, isWithin, type Leaf, type TreeNode } from './node.ts';
import { hasBreakpoint, hasFew, lowestOfFew, PruneQueue } from './queue.ts';
import { fill, forgetCounts, type PromptTree, unfill } from './tree.ts';

/** State of a removal; `removed` lists removed nodes in order, and `reasons` why, if traced. */
export interface RemovalContext {
  readonly tree: PromptTree;
  readonly removed: TreeNode[];
  readonly reasons: PruneReason[] | undefined;
}

/**
 * Removes a node and its dependents: nodes kept with anything in it, and ancestors it leaves empty (editor.md 1.10,
 * 1.11). All are added to `removed`, in order.
 */
export function removeNode(node: TreeNode, reason: PruneReason, pruning: RemovalContext): void {
  const { tree, removed, reasons } = pruning;
  const { parent } = node;
  if (!parent || !node.isAttached) return;
  tree.detach(node, parent);
  tree.tally?.leave(node);
  if (tree.keys.hasBreakpoint && tree.rules.protectionEnds && hasBreakpoint(node)) tree.forgetProtection(parent);
  removed.push(node);
  reasons?.push(reason);
  // Before other removals: otherwise ancestors would be considered empty.
  if (tree.rules.revivesAlternatives && tree.keys.alternatives.size > 0) reviveAround(parent, pruning);
  if (tree.keys.hasKeepWith) removeKeptWith(node, pruning);
  if (parent.isEmpty) removeNode(parent, 'emptied', pruning);
  else forgetCounts(parent, tree.tally);
}

/** Of all emptied ancestors, the innermost `IfEmpty` with an alternative shows it. */
function reviveAround(branch: Branch, pruning: RemovalContext): void {
  let at: Branch | undefined = branch;
  while (at?.isEmpty && !revive(at, pruning)) at = at.parent;
}

/** Inserts the alternative of an `IfEmpty`, unless it is empty itself (editor.md 1.19.5). */
function revive(parent: Branch, pruning: RemovalContext): boolean {
  const { tree, removed, reasons } = pruning;
  const { alternatives } = tree.keys;
  const alternative = alternatives.get(parent);
  if (!alternative || alternative.isEmpty || !isWithin(parent, tree.root)) return false;
  alternatives.delete(parent);
  const { children } = parent;
  for (const child of children) {
    child.setAside();
    tree.tally?.leave(child);
    removed.push(child);
    reasons?.push('emptied');
  }
  parent.first = undefined;
  parent.last = undefined;
  parent.append(alternative);
  fill(parent);
  tree.forgetProtection(parent);
  tree.forgetKeepWiths();
  tree.tally?.enter(alternative);
  tree.revived.push(alternative);
  forgetCounts(parent, tree.tally);
  if (tree.keys.hasKeepWith) for (const child of children) removeKeptWith(child, pruning);
  return true;
}

/** Removes nodes kept with anything in a removed node. */
function removeKeptWith(node: TreeNode, pruning: RemovalContext): void {
  const { tree } = pruning;
  const ids = idsIn(node, tree);
  if (!ids) return;
  for (const id of ids) tree.leaving.add(id);
  try {
    for (const { branch, isHolder } of tree.keepWiths.visit(ids, tree)) {
      if (isHolder) {
        removeNode(branch, 'keep-with', pruning);
      } else {
        dropCalls(branch, ids, tree);
        if (branch.isEmpty) removeNode(branch, 'keep-with', pruning);
      }
    }
  } finally {
    for (const id of ids) tree.leaving.delete(id);
  }
}

/** The keep-withs in a node that are not being removed already. */
function idsIn(node: TreeNode, tree: PromptTree, into?: Set<number>): Set<number> | undefined {
  if (!isBranch(node)) return into;
  let ids = withId(node.keepWithId, tree, into);
  if (tree.rules.tiesResultsToCalls)
    for (const { keepWith } of node.message?.toolCalls ?? []) ids = withId(keepWith?.id, tree, ids);
  for (let child = node.first; child; child = child.next) ids = idsIn(child, tree, ids);
  return ids;
}

function withId(id: number | undefined, tree: PromptTree, ids: Set<number> | undefined): Set<number> | undefined {
  if (id === undefined || tree.leaving.has(id)) return ids;
  return (ids ?? new Set()).add(id);
}

/** Removes the calls whose results were removed. */
function dropCalls(branch: Branch, ids: ReadonlySet<number>, tree: PromptTree): void {
  const { message } = branch;
  const calls = message?.toolCalls;
  if (!message || !calls?.some(({ keepWith }) => keepWith && ids.has(keepWith.id))) return;
  message.toolCalls = calls.filter(({ keepWith }) => !(keepWith && ids.has(keepWith.id)));
  message.overhead = undefined;
  if (branch.isEmpty) unfill(branch);
  // prompt-tsx keeps the count that includes the call.
  if (tree.rules.recountsCalls) {
    message.base = undefined;
    forgetCounts(branch, tree.tally);
  }
}

/** The next node to prune from a container; if there is none, the branch where the search ended. */
export interface Victim {
  readonly node: TreeNode;
  readonly isBlocked: boolean;
}

/**
 * Like prompt-tsx: the lowest, then the lowest inside it; if nothing in there may be pruned, there is none. `guards`:
 * whether there are breakpoints.
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

/** The same, but protected nodes are skipped for the next lowest (editor.md 1.12). */
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

/** A node with a breakpoint is not pruned as a whole. */
function holdsBreakpoint(node: TreeNode): boolean {
  return isBranch(node) && hasBreakpoint(node);
}

/** Whether the lowest node is protected by a breakpoint, whatever else may be pruned. */
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

/** Breakpoints protect messages and their direct children, but not deeper nodes. */
function isGuarded(branch: Branch): boolean {
  if (branch.message) return true;
  for (let at = branch.parent; at; at = at.parent) if (at.message) return false;
  return true;
}

/** The lowest leaf below a branch, at any depth, ignoring breakpoints. Messages may have calls and no leaf. */
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

/** The lowest message below a branch that has only calls left. */
function lowestCaller(branch: Branch): Branch | undefined {
  let lowest: Branch | undefined;
  for (let child = branch.first; child; child = child.next) {
    if (!isBranch(child)) continue;
    const found = child.message ? child : lowestCaller(child);
    if (found && !found.isEmpty && (!lowest || found.priority < lowest.priority)) lowest = found;
  }
  return lowest;
}

function leavesOf(branch: Branch): { readonly heap: NodeHeap; readonly all: readonly Leaf[] } {
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
  const heap = new NodeHeap({ capacity: all.length, isBefore });
  heap.fill(0, all.length);
  return { heap, all };
}
