import { type Branch, isBranch, type Leaf, type TreeNode } from '../tree/node.ts';
import { forgetCounts, type Tree, unfill } from '../tree/tree.ts';

/** Gives up the last breakpoint below a container; answers the message it stood in. */
export function dropLastBreakpoint(tree: Tree, container: Branch): Branch | undefined {
  const leaf = lastBreakpoint(container);
  const message = leaf?.parent;
  if (!leaf || !message) return undefined;
  if (leaf.prev) leaf.prev.next = leaf.next;
  else message.first = leaf.next;
  if (leaf.next) leaf.next.prev = leaf.prev;
  else message.last = leaf.prev;
  message.childCount -= 1;
  leaf.isAttached = false;
  leaf.detachedAt = tree.clock++;
  unfill(leaf);
  forgetCounts(message, tree.tally);
  forgetProtection(tree.root);
  return message;
}

function lastBreakpoint(branch: Branch): Leaf | undefined {
  for (let child: TreeNode | undefined = branch.last; child; child = child.prev) {
    const found = isBranch(child) ? lastBreakpoint(child) : (child as Leaf).isBreakpoint && (child as Leaf);
    if (found) return found;
  }
  return undefined;
}

function forgetProtection(branch: Branch): void {
  branch.hasBreakpoint = undefined;
  branch.pruning = undefined;
  for (let child = branch.first; child; child = child.next) if (isBranch(child)) forgetProtection(child);
}
