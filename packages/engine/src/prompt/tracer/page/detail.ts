import { element } from '../../../page/browser/dom.ts';
import { count, number } from '../../../page/browser/words.ts';
import type { PagePrompt } from '../shape.ts';
import type { Epochs } from './epochs.ts';
import type { Tree } from './tree.ts';
import { whyOf } from './why.ts';

/** Details of the selected node. */
export function showDetail({
  pane,
  key,
  tree,
  epochs,
  prompt,
  goTo,
}: {
  readonly pane: HTMLElement;
  readonly key: number;
  readonly tree: Tree;
  readonly epochs: Epochs;
  readonly prompt: PagePrompt;
  readonly goTo: (key: number) => void;
}): void {
  const at = tree.get(key);
  pane.replaceChildren();
  if (!at) return;
  const { node, fate } = at;
  const rendered = epochs.of(node.id);
  const facts: [string, string][] = [
    ['tokens', `${number(node.tokens)} of ${number(prompt.whole)}`],
    ['priority', node.priority === undefined ? 'unset: the highest' : number(node.priority)],
  ];
  if (rendered) {
    facts.push(['share', `${count({ amount: rendered.share, of: 'token' })} when it rendered`]);
    facts.push(['rendered', `in group ${rendered.epoch + 1} of ${epochs.all.length}`]);
  }
  if (node.marks) facts.push(['props', node.marks.join(', ')]);
  const path = element(
    'nav',
    { class: 'path', aria: { label: 'Parents' } },
    ...tree
      .above(key)
      .flatMap((above) => [
        element('button', { class: 'step', type: 'button', onClick: () => goTo(above.key) }, above.name),
        ' › ',
      ]),
  );
  const said = textOf({ key, tree });
  const rest = (node.length ?? 0) - (node.text?.length ?? 0);
  pane.replaceChildren(
    path,
    element('h2', {}, node.name),
    element('p', { class: `why is-${fate.kind}` }, whyOf({ node, fate, tree })),
    element('dl', {}, ...facts.flatMap(([what, value]) => [element('dt', {}, what), element('dd', {}, value)])),
    ...(said === '' ? [] : [element('pre', { class: 'said' }, said)]),
    ...(rest > 0 ? [element('p', { class: 'rest' }, `and ${count({ amount: rest, of: 'more character' })}`)] : []),
  );
}

/** Limit of shown text, in characters. */
const mostText = 4000;

/** The text of a node, as far as it is in the page. */
function textOf({ key, tree }: { readonly key: number; readonly tree: Tree }): string {
  const pieces: string[] = [];
  let length = 0;
  const visit = (at: number): void => {
    const found = tree.get(at);
    if (!found || length > mostText) return;
    if (found.node.text) {
      pieces.push(found.node.text);
      length += found.node.text.length;
    }
    for (const child of found.children) visit(child);
  };
  visit(key);
  return pieces.join('\n');
}
