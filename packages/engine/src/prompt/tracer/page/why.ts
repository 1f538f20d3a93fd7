import { number } from '../../../page/browser/words.ts';
import type { PageNode } from '../shape.ts';
import type { Fate, Tree } from './tree.ts';

/** What became of a node, in few words for its row. */
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

/** The same as a whole sentence. */
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
      return 'It is there only at this budget: it grew into what was left, or stands in for what was pruned.';
    case 'replaced':
      return node.kind === 'breakpoint'
        ? 'It was given up, so that what it protected could go.'
        : 'Something else stands in its place at this budget: it was rendered again with more room, or its alternative came in.';
    case 'along':
      return `It went with ${tree.get(fate.with)?.node.name ?? 'its parent'}, which it stands in.`;
    case 'gone': {
      const limit = tree.byId(fate.limit);
      const isWhole = limit === undefined || limit.parent === null;
      const to = isWhole ? 'to fit the budget' : `to fit ${limit.name}${limitIn(limit)}`;
      const which = `It was the ${ordinal(fate.order + 1)} to go, ${to}: `;
      if (fate.reason === 'keep-with') return `${which}something that it is kept with went.`;
      if (fate.reason === 'emptied') return `${which}nothing was left in it.`;
      const priority = node.priority === undefined ? 'unset, the highest' : number(node.priority);
      return `${which}nothing that could go had a lower priority (${priority}).`;
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
