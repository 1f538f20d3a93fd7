import type { Branch, TreeNode } from './node.ts';

/** Few children are looked at each time; many are put in order once. */
const few = 8;

/** The lowest priority right inside a branch; the highest there is if nothing is in it. */
export function lowestPriorityIn(branch: Branch): number {
  if (!branch.pruning?.byPriority) {
    let lowest = Number.MAX_SAFE_INTEGER;
    let child = branch.first;
    for (let count = 0; child && count < few; child = child.next, count += 1) lowest = Math.min(lowest, child.priority);
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
