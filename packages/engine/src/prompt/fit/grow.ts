import type { Layout } from '../layout/layout.ts';
import { materialize } from '../tree/materialize.ts';
import { Branch } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';

/**
 * Renders what may grow anew, in the order in which it was rendered, each with what is left and what it had; until
 * nothing is left (editor.md 1.9.2).
 */
export async function grow(of: {
  readonly layout: Layout;
  readonly tree: Tree;
  readonly container: Branch;
  readonly used: number;
  readonly limit: number;
}): Promise<void> {
  const { layout, tree, container, limit } = of;
  let { used } = of;
  for (const { initial, node } of layout.growables) {
    const old = tree.find(node.id, container);
    if (!old) continue;
    const grown = await layout.regrow({ node, budget: limit - used + initial });
    const fresh = materialize(grown.node, tree.keys, old.parent);
    if (!(fresh instanceof Branch)) throw new Error('unreachable: expected growable');
    tree.replace({ old, fresh, below: container });
    used = used - initial + grown.consumed;
    if (used >= limit) break;
  }
}
