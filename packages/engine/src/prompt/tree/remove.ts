import type { PruneReason } from '../trace.ts';
import { type Branch, isBranch, isWithin, type TreeNode } from './node.ts';
import { hasBreakpoint } from './queue.ts';
import { fill, forgetCounts, type Tree, unfill } from './tree.ts';

/** What goes on; `removed` says in order what went so far, and `reasons` why, where somebody wants to know. */
export interface Pruning {
  readonly tree: Tree;
  readonly removed: TreeNode[];
  readonly reasons: PruneReason[] | undefined;
}

/**
 * Takes a node out, with what has to go along: what is kept with anything in it, and what it leaves empty behind
 * (editor.md 1.10, 1.11). Everything that went is in `removed`, in order.
 */
export function removeNode(node: TreeNode, reason: PruneReason, pruning: Pruning): void {
  const { tree, removed, reasons } = pruning;
  const { parent } = node;
  if (!parent || !node.isAttached) return;
  tree.detach(node, parent);
  tree.tally?.leave(node);
  if (tree.keys.hasBreakpoint && tree.rules.protectionEnds && hasBreakpoint(node)) tree.forgetProtection(parent);
  removed.push(node);
  reasons?.push(reason);
  // Before anything else goes along: what is around would be taken for empty.
  if (tree.rules.revivesAlternatives && tree.keys.alternatives.size > 0) reviveAround(parent, pruning);
  if (tree.keys.hasKeepWith) removeKeptWith(node, pruning);
  if (parent.isEmpty) removeNode(parent, 'emptied', pruning);
  else forgetCounts(parent, tree.tally);
}

/** Of all that was left empty, the innermost `IfEmpty` that has an alternative shows it. */
function reviveAround(branch: Branch, pruning: Pruning): void {
  let at: Branch | undefined = branch;
  while (at?.isEmpty && !revive(at, pruning)) at = at.parent;
}

/** The alternative of an `IfEmpty` comes in for what went, unless it is nothing itself (editor.md 1.19.5). */
function revive(parent: Branch, pruning: Pruning): boolean {
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

/** Removes what is kept with anything in a node that went. */
function removeKeptWith(node: TreeNode, pruning: Pruning): void {
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

/** The keep-withs in a node that are not on their way out already. */
function idsIn(node: TreeNode, tree: Tree, into?: Set<number>): Set<number> | undefined {
  if (!isBranch(node)) return into;
  let ids = withId(node.keepWithId, tree, into);
  if (tree.rules.tiesResultsToCalls)
    for (const { keepWith } of node.message?.toolCalls ?? []) ids = withId(keepWith?.id, tree, ids);
  for (let child = node.first; child; child = child.next) ids = idsIn(child, tree, ids);
  return ids;
}

function withId(id: number | undefined, tree: Tree, ids: Set<number> | undefined): Set<number> | undefined {
  if (id === undefined || tree.leaving.has(id)) return ids;
  return (ids ?? new Set()).add(id);
}

/** Calls whose results went go too. */
function dropCalls(branch: Branch, ids: ReadonlySet<number>, tree: Tree): void {
  const { message } = branch;
  const calls = message?.toolCalls;
  if (!message || !calls?.some(({ keepWith }) => keepWith && ids.has(keepWith.id))) return;
  message.toolCalls = calls.filter(({ keepWith }) => !(keepWith && ids.has(keepWith.id)));
  message.overhead = undefined;
  if (branch.isEmpty) unfill(branch);
  // prompt-tsx goes on with the count that includes the call.
  if (tree.rules.recountsCalls) {
    message.base = undefined;
    forgetCounts(branch, tree.tally);
  }
}
