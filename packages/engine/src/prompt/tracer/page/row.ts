import { element } from '../../../page/browser/dom.ts';
import { count, firstWords, number } from '../../../page/browser/words.ts';
import type { Rendered } from './epochs.ts';
import { isGone, type TreeNode } from './tree.ts';
import { shortFate } from './why.ts';

/** State of a row. */
export interface RowState {
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  /** `now` renders in the selected group, `later` in a later one. */
  readonly when: 'done' | 'now' | 'later';
  readonly rendered: Rendered | undefined;
  /** From 0 to 1, by the selected coloring. */
  readonly heat: number;
  /** Share of the total tokens. */
  readonly part: number;
}

/** Maximum indentation; deeper nodes are shown at this level. */
const deepest = 24;

/** A node of the tree on one line. */
export function rowElement({
  of,
  state,
  onSelect,
  onToggle,
}: {
  readonly of: TreeNode;
  readonly state: RowState;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
}): HTMLElement {
  const { node, depth, fate, children } = of;
  const { isSelected, isOpen, rendered } = state;
  const isGroup = children.length > 0;
  const names = [
    ...['row', `of-${node.kind}`, `is-${state.when}`],
    ...(isSelected ? ['selected'] : []),
    ...(isGone(fate) ? ['gone'] : []),
    ...(fate.kind === 'added' ? ['added'] : []),
  ];
  const arrow = element(
    'span',
    {
      class: 'arrow',
      onClick: (event) => {
        event.stopPropagation();
        onToggle();
      },
    },
    isGroup ? (isOpen ? '▾' : '▸') : '',
  );
  const bar = element('span', { class: 'bar' }, element('span', { class: 'bar-part' }));
  (bar.firstElementChild as HTMLElement).style.width =
    `${Math.max(node.tokens > 0 ? 1 : 0, Math.round(100 * state.part))}%`;
  const cell = (name: string, words: string, title?: string) =>
    element('span', { class: `cell ${name}`, ...(title !== undefined && { title }) }, words);
  const row = element(
    'div',
    {
      class: names.join(' '),
      data: { key: node.key },
      aria: {
        role: 'treeitem',
        level: depth + 1,
        selected: isSelected,
        ...(isGroup && { expanded: isOpen }),
      },
      onClick: onSelect,
    },
    element(
      'span',
      { class: 'what' },
      arrow,
      element('b', { class: `name ${node.kind === 'message' ? node.name : ''}` }, node.name),
      node.marks && element('span', { class: 'marks' }, node.marks.join(' · ')),
      node.text !== undefined && element('span', { class: 'preview' }, firstWords({ text: node.text, length: 160 })),
    ),
    cell('fate', shortFate(fate)),
    cell(
      'share',
      rendered ? number(rendered.share) : '',
      rendered && `given ${count({ amount: rendered.share, of: 'token' })}`,
    ),
    element('span', { class: 'cell tokens' }, bar, element('span', { class: 'number' }, number(node.tokens))),
    cell('priority', node.priority === undefined ? '' : number(node.priority)),
  );
  row.id = `node-${node.key}`;
  row.style.setProperty('--depth', String(Math.min(depth, deepest)));
  row.style.setProperty('--heat', `${Math.round(100 * state.heat)}%`);
  return row;
}
