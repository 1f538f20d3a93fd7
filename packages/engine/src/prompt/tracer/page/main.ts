import { button, element, inNextFrame } from '../../../page/browser/dom.ts';
import { createHelp } from '../../../page/browser/help.ts';
import { type Key, listenToKeys } from '../../../page/browser/keyboard.ts';
import { nextTheme } from '../../../page/browser/theme.ts';
import { count, number } from '../../../page/browser/words.ts';
import type { PageRender } from '../shape.ts';
import { Slider } from './controls.ts';
import { readData } from './data.ts';
import { showDetail } from './detail.ts';
import { Epochs } from './epochs.ts';
import { Renders } from './renders.ts';
import { Tree } from './tree.ts';
import { TreeView } from './tree-view.ts';

const data = readData();
const { prompt, nodes } = data;
const renders = new Renders(data);
const epochs = new Epochs(prompt);
const top = Math.max(
  prompt.isLive ? prompt.budget * 2 : 0,
  Math.ceil(prompt.whole * 1.05),
  renders.budgets.at(-1) ?? 0,
);

const scroller = element('main', { class: 'tree', aria: { role: 'tree', label: 'The prompt' } });
scroller.tabIndex = 0;
const pane = element('aside', { class: 'detail', aria: { label: 'The selected node' } });
const used = element('p', { class: 'used', aria: { live: 'polite' } });
const failed = element('p', { class: 'failed', aria: { role: 'alert' } });
const group = element('p', { class: 'group' });
const honest = prompt.isLive
  ? 'The server prunes for any budget; elements are not rendered again, so shares stay those of the layout.'
  : `This file holds ${count({ amount: renders.budgets.length, of: 'budget' })}, and the slider moves between them; shares stay those of the layout.`;
const note = element('p', { class: 'note' }, honest);
failed.hidden = true;

const budget = new Slider({
  label: 'Budget',
  keys: '[ and ]',
  max: top,
  value: prompt.budget,
  onInput: (value) => wish(value),
});
const epoch = new Slider({
  label: 'Layout',
  keys: ', and .',
  max: epochs.all.length,
  value: epochs.all.length,
  onInput: showEpoch,
});

let tree: Tree | undefined;
/** The last requested budget. */
let wished = prompt.budget;
const ask = inNextFrame(answerWish);

function answerWish(): void {
  const wanted = wished;
  const render = renders.get(wanted);
  if (!(render instanceof Promise)) {
    showRender(render);
    return;
  }
  render.then(
    (answer) => wanted === wished && showRender(answer),
    (error: unknown) => showFailure(`The server does not respond: ${error instanceof Error ? error.message : error}`),
  );
}
const view = new TreeView({ scroller, epochs, onSelect: selectNode });
const columns = element(
  'div',
  { class: 'columns', aria: { hidden: true } },
  ...['element', 'at this budget', 'share', 'tokens', 'priority'].map((name) => element('span', {}, name)),
);

document.body.append(
  header(),
  element('div', { class: 'controls' }, budget.element, epoch.element, note, group),
  failed,
  element('div', { class: 'panes' }, element('div', { class: 'left' }, columns, scroller), pane),
);

const keys: readonly Key[] = [
  { keys: ['j', 'ArrowDown'], what: 'next node', run: () => view.step(1) },
  { keys: ['k', 'ArrowUp'], what: 'previous node', run: () => view.step(-1) },
  { keys: ['l', 'ArrowRight'], what: 'expand, or go to the first child', run: () => view.into() },
  { keys: ['h', 'ArrowLeft'], what: 'collapse, or go to the parent', run: () => view.out() },
  { keys: ['PageDown'], what: 'twenty further', run: () => view.step(20) },
  { keys: ['PageUp'], what: 'twenty back', run: () => view.step(-20) },
  { keys: ['g', 'Home'], what: 'first node', run: () => view.end('first') },
  { keys: ['G', 'End'], what: 'last node', run: () => view.end('last') },
  { keys: ['Enter', 'o'], what: 'collapse or expand', run: () => view.toggle() },
  { keys: ['e'], what: 'collapse or expand all messages', run: () => view.toggleAll() },
  { keys: [']'], what: 'more budget', run: () => stepBudget(1) },
  { keys: ['['], what: 'less budget', run: () => stepBudget(-1) },
  { keys: ['0'], what: 'the original budget', run: () => wish(prompt.budget) },
  { keys: ['.'], what: 'next layout group', run: () => showEpoch(Math.min(epoch.max, epoch.value + 1)) },
  { keys: [','], what: 'previous layout group', run: () => showEpoch(Math.max(0, epoch.value - 1)) },
  { keys: ['n'], what: 'next pruned node', run: () => view.stepGone(1) },
  { keys: ['N'], what: 'previous pruned node', run: () => view.stepGone(-1) },
  { keys: ['p'], what: 'show or hide pruned nodes', run: () => view.toggleGone() },
  { keys: ['c'], what: 'color by tokens or by priority', run: color },
  { keys: ['t'], what: 'theme: light, dark or system', run: nextTheme },
  { keys: ['?'], what: 'these keys', run: () => help.toggle() },
];
const help = createHelp({ keys: () => keys });
listenToKeys({ keys });
wish(prompt.budget);
// Budgets in the page are available immediately.
answerWish();
scroller.focus();

function header(): HTMLElement {
  const coloring = button({ label: 'Colors: tokens', title: 'Color by tokens or by priority (c)', onClick: color });
  coloring.id = 'coloring';
  return element(
    'header',
    { class: 'top' },
    element('div', { class: 'about' }, element('h1', {}, prompt.title), used),
    element(
      'div',
      { class: 'tools' },
      button({ label: 'Pruned', title: 'Show or hide pruned nodes (p)', onClick: () => view.toggleGone() }),
      coloring,
      button({ label: '◐', title: 'Theme: light, dark or system (t)', onClick: nextTheme }),
      button({ label: '?', title: 'Keys (?)', onClick: () => help.toggle() }),
    ),
  );
}

/** Requests another budget. The last requested one is shown, whatever response arrives first. */
function wish(value: number): void {
  wished = renders.nearest(value);
  budget.set({ value: wished, said: `${number(wished)} tokens` });
  ask();
}

function stepBudget(by: 1 | -1): void {
  const { budgets } = renders;
  const further = prompt.isLive
    ? Math.min(top, Math.max(0, wished + by * Math.max(1, Math.round(top / 100))))
    : budgets[Math.min(budgets.length - 1, Math.max(0, budgets.indexOf(wished) + by))];
  wish(further ?? wished);
}

function showRender(render: PageRender): void {
  showFailure(render.failure);
  document.body.classList.toggle('without-prompt', render.failure !== undefined);
  tree = new Tree({ nodes, render });
  view.show(tree);
  const status = render.failure
    ? `nothing fits ${count({ amount: render.budget, of: 'token' })}`
    : `${number(render.tokens)} of ${count({ amount: render.budget, of: 'token' })} used · ${number(tree.goneCount)} of ${count({ amount: tree.size, of: 'node' })} pruned`;
  used.textContent = `${status} · laid out for ${number(prompt.budget)} · ${number(prompt.whole)} total`;
  showEpochLine();
  if (view.selected !== undefined) selectNode(view.selected);
}

function showFailure(words: string | undefined): void {
  failed.hidden = words === undefined;
  failed.textContent = words ?? '';
}

function showEpoch(at: number): void {
  epoch.set({ value: at, said: epochWords(at) });
  view.showEpoch(at);
  showEpochLine();
}

function showEpochLine(): void {
  epoch.set({ value: epoch.value, said: epochWords(epoch.value) });
  if (tree) group.textContent = epochs.sentence({ at: epoch.value, tree });
}

function epochWords(at: number): string {
  return at >= epochs.all.length ? 'all groups' : `group ${at + 1} of ${epochs.all.length}`;
}

function color(): void {
  view.nextColoring();
  const label = document.getElementById('coloring');
  if (label) label.textContent = `Colors: ${view.coloring}`;
}

function selectNode(key: number): void {
  if (tree) showDetail({ pane, key, tree, epochs, prompt, goTo: (to) => view.reveal(to) });
}
