/** A piece of text that may be left out, with pieces inside of it that may be left out as well. */
export interface DensityNode {
  /** Texts around the children: one more than there are children. */
  readonly texts: readonly string[];
  readonly children: readonly DensityNode[];
  /** How much it is worth to show it, without its children. */
  readonly weight: number;
}

interface Rated {
  readonly node: DensityNode;
  readonly cost: number;
  /** Value for each character, raised to that of the densest child where that is higher. */
  readonly density: number;
  /** Whether only a child makes it worth its cost. */
  readonly isRaised: boolean;
  readonly children: readonly Rated[];
}

const marker = '…';

/**
 * The most valuable parts of a tree within a number of characters: best first by value per character, a parent before its
 * children. A parent is rated as high as its best child with it, so that a valuable part is not lost behind a long frame.
 *
 * @example
 * densest({ root: { texts: ['class A {\n', '}\n'], children: [member], weight: 1 }, characters: 100 });
 */
export function densest({ root, characters }: { readonly root: DensityNode; readonly characters: number }): string {
  const top = rate(root);
  const chosen = new Set<Rated>();
  const order: Rated[] = [];
  const open = [top];
  let left = characters;
  while (open.length > 0) {
    const at = open.reduce((best, one, index) => (one.density > (open[best]?.density ?? 0) ? index : best), 0);
    const [next] = open.splice(at, 1);
    if (!next || next.cost > left) continue;
    left -= next.cost;
    chosen.add(next);
    order.push(next);
    open.push(...next.children);
  }
  for (;;) {
    const text = print({ top, chosen });
    const last = order.pop();
    if (text.length <= characters || !last) return text.length <= characters ? text : '';
    // Markers cost as well: what was added last goes until the text itself fits.
    chosen.delete(last);
  }
}

function rate(node: DensityNode): Rated {
  const children = node.children.map(rate);
  const cost = node.texts.reduce((sum, text) => sum + text.length, 0);
  const own = node.weight / Math.max(1, cost);
  const raised = children.reduce((best, child) => {
    const together = (node.weight + child.density * child.cost) / Math.max(1, cost + child.cost);
    return Math.max(best, together);
  }, own);
  return { node, cost, density: raised, isRaised: raised > own && node.weight === 0, children };
}

function print({ top, chosen }: { readonly top: Rated; readonly chosen: ReadonlySet<Rated> }): string {
  if (!isShown({ rated: top, chosen })) return '';
  const { node, children } = top;
  let text = node.texts[0] ?? '';
  children.forEach((child, index) => {
    const inner = print({ top: child, chosen });
    const isMarked = inner === '' && !text.trimEnd().endsWith(marker);
    text += inner === '' ? (isMarked ? `${marker}\n` : '') : inner;
    text += node.texts[index + 1] ?? '';
  });
  return text;
}

/** What is worth nothing by itself is shown only with something inside of it. */
function isShown({ rated, chosen }: { readonly rated: Rated; readonly chosen: ReadonlySet<Rated> }): boolean {
  if (!chosen.has(rated)) return false;
  return !rated.isRaised || rated.children.some((child) => isShown({ rated: child, chosen }));
}
