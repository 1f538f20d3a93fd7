import { number } from '../../../page/browser/words.ts';
import type { PageNode } from '../shape.ts';
import type { Fate, Tree } from './tree.ts';

/** Short description of a node's state. */
export function shortFate(fate: Fate): string {
  switch (fate.kind) {
    case 'kept':
      return '';
    case 'added':
      return 'only at this budget';
    case 'replaced':
      return 'replaced';
    case 'along':
      return 'pruned with its parent';
    case 'gone':
      return `pruned ${ordinal(fate.order + 1)}: ${{ priority: 'lowest', 'keep-with': 'kept with', emptied: 'empty' }[fate.reason]}`;
  }
}

/** The same as a sentence. */
export function whyOf({
  node,
  fate,
  tree,
}: {
  readonly node: PageNode;
  readonly fate: Fate;
  readonly tree: Tree;
}): string {
  switch (fate.kind) {
    case 'kept':
      return 'It is in the prompt.';
    case 'added':
      return 'It exists only at this budget: it grew into the remaining budget, or replaces pruned content.';
    case 'replaced':
      return node.kind === 'breakpoint'
        ? 'It was dropped so that the content it protected could be pruned.'
        : 'It was replaced at this budget: rendered again with a larger budget, or by its alternative.';
    case 'along':
      return `It was pruned with its parent ${tree.get(fate.with)?.node.name ?? ''}.`;
    case 'gone': {
      const limit = tree.byId(fate.limit);
      const isWhole = limit === undefined || limit.parent === null;
      const to = isWhole ? 'to fit the budget' : `to fit ${limit.name}${limitIn(limit)}`;
      const which = `It was pruned ${ordinal(fate.order + 1)}, ${to}: `;
      if (fate.reason === 'keep-with') return `${which}content that it is kept with was pruned.`;
      if (fate.reason === 'emptied') return `${which}it was left empty.`;
      const priority = node.priority === undefined ? 'unset, the highest' : number(node.priority);
      return `${which}no other candidate had a lower priority (${priority}).`;
    }
  }
}

function limitIn({ marks }: PageNode): string {
  const mark = marks?.find((each) => each.startsWith('limit '));
  return mark ? ` (${mark})` : '';
}

function ordinal(amount: number): string {
  const [tens, ones] = [amount % 100, amount % 10];
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][ones] ?? 'th');
  return `${number(amount)}${ending}`;
}
