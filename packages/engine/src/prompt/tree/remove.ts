import type { PruneReason } from '../trace.ts';
import { type Branch, isBranch, type TreeNode } from './node.ts';
import { forgetCounts, type Tree, unfill } from './tree.ts';

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
  removed.push(node);
  reasons?.push(reason);
  if (tree.keys.hasKeepWith) removeKeptWith(node, pruning);
  const stays = !parent.isEmpty || (tree.rules.revivesAlternatives && revive(parent, tree));
  if (stays) forgetCounts(parent, tree.tally);
  else removeNode(parent, 'emptied', pruning);
}

/** The alternative of an `IfEmpty` comes in for what went, unless it is nothing itself (editor.md 1.19.5). */
function revive(parent: Branch, tree: Tree): boolean {
  const { alternatives } = tree.keys;
  const alternative = alternatives.get(parent);
  alternatives.delete(parent);
  if (!alternative || alternative.isEmpty || !parent.isAttached) return false;
  for (const child of parent.children) {
    child.setAside();
    tree.tally?.leave(child);
  }
  parent.first = undefined;
  parent.last = undefined;
  parent.append(alternative);
  for (let at: Branch | undefined = parent; at?.parent && !at.isFilling; at = at.parent) {
    at.isFilling = true;
    at.parent.filling += 1;
  }
  tree.forgetOrder(parent);
  tree.forgetKeepWiths();
  if (!isInMessage(parent)) tree.tally?.enter(alternative);
  return true;
}

function isInMessage(branch: Branch): boolean {
  for (let at: Branch | undefined = branch; at; at = at.parent) if (at.message) return true;
  return false;
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
