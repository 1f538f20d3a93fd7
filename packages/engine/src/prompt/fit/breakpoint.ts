import { type Branch, isBranch, type Leaf, type TreeNode } from '../tree/node.ts';
import { forgetCounts, type Tree } from '../tree/tree.ts';

/** Gives up the last breakpoint below a container; answers the message it stood in. */
export function dropLastBreakpoint(tree: Tree, container: Branch): Branch | undefined {
  const leaf = lastBreakpoint(container);
  const message = leaf?.parent;
  if (!leaf || !message) return undefined;
  tree.detach(leaf, message);
  forgetCounts(message, tree.tally);
  tree.forgetProtection(message);
  return message;
}

function lastBreakpoint(branch: Branch): Leaf | undefined {
  for (let child: TreeNode | undefined = branch.last; child; child = child.prev) {
    const found = isBranch(child) ? lastBreakpoint(child) : (child as Leaf).isBreakpoint && (child as Leaf);
    if (found) return found;
  }
  return undefined;
}
