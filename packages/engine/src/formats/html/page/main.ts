import { button, element } from '../../../page/browser/dom.ts';
import { createHelp } from '../../../page/browser/help.ts';
import { type Key, listenToKeys } from '../../../page/browser/keyboard.ts';
import { nextTheme } from '../../../page/browser/theme.ts';
import { count, moment } from '../../../page/browser/words.ts';
import { readLog } from './log.ts';
import { Outline } from './outline.ts';
import { Plot } from './plot.ts';
import type { Row } from './rows.ts';
import { SearchBar } from './search-bar.ts';
import { Timeline } from './timeline.ts';

const log = readLog();
const outlinePane = element('nav', { class: 'outline', aria: { label: 'Turns and branches' } });
const scroller = element('main', { class: 'timeline', aria: { label: 'Timeline' } });
const plotPane = element('div', { class: 'plot' });
const aside = element('div', { class: 'aside-note' });
scroller.tabIndex = -1;

const search = new SearchBar({
  log,
  onPattern: (pattern) => timeline.mark(pattern),
  onHit: (hit) => timeline.goToHit(hit),
});
document.body.append(header(), plotPane, aside, element('div', { class: 'panes' }, outlinePane, scroller));

const outline = new Outline({ log, scroller: outlinePane, goTo: (handle) => timeline.goTo(handle) });
const plot = new Plot({ host: plotPane, goTo: (index) => timeline.goToRow(index) });
const timeline: Timeline = new Timeline({
  log,
  scroller,
  onPath: (path) => {
    plot.show(path);
    outline.showPath(path.rows.map(({ entry }) => entry));
    showBranchNote(path.tip);
  },
  onView: (view) => {
    plot.follow(view);
    outline.follow({ index: view.at });
  },
});

const isTurn = ({ entry }: Row) => entry.who === 'human' || entry.type === 'compaction';
const keys: readonly Key[] = [
  { keys: ['j', 'ArrowDown'], what: 'next entry', run: () => timeline.step({ by: 1 }) },
  { keys: ['k', 'ArrowUp'], what: 'previous entry', run: () => timeline.step({ by: -1 }) },
  { keys: [']'], what: 'next turn or compaction', run: () => timeline.step({ by: 1, isWanted: isTurn }) },
  { keys: ['['], what: 'previous turn or compaction', run: () => timeline.step({ by: -1, isWanted: isTurn }) },
  { keys: ['g', 'Home'], what: 'first entry', run: () => timeline.goToEnd('first') },
  { keys: ['G', 'End'], what: 'last entry', run: () => timeline.goToEnd('last') },
  { keys: ['Enter', 'o'], what: 'open or fold the entry', run: () => timeline.toggleSelected() },
  { keys: ['e'], what: 'open or fold everything', run: () => timeline.toggleAll() },
  { keys: ['m'], what: 'show or hide notes', run: () => timeline.toggleNotes() },
  { keys: ['/'], what: 'search', run: () => search.focus() },
  { keys: ['n'], what: 'next find', run: () => search.step(1) },
  { keys: ['N'], what: 'previous find', run: () => search.step(-1) },
  { keys: ['y'], what: 'copy the entry', run: () => void timeline.copySelected() },
  { keys: ['b'], what: 'show or hide the outline', run: toggleOutline },
  { keys: ['t'], what: 'light, dark, or as the system has it', run: nextTheme },
  { keys: ['?'], what: 'these keys', run: () => help.toggle() },
];
const help = createHelp({ keys: () => keys });
listenToKeys({ keys });

window.addEventListener('hashchange', followHash);
followHash();

function header(): HTMLElement {
  const { title, facts } = log.session;
  const [first, last] = [log.entries[0], log.entries.at(-1)];
  const size = count({ amount: log.entries.length, of: 'entry' });
  const span = first && last ? [`${moment(first.at)} – ${moment(last.at)}`] : [];
  const headline = [
    ...facts.filter(([what]) => what !== 'session').map(([what, value]) => `${what} ${value}`),
    size,
    ...span,
  ];
  return element(
    'header',
    { class: 'top' },
    element(
      'div',
      { class: 'about' },
      element('h1', { title: facts.map((fact) => fact.join(' ')).join('\n') }, title),
      element('p', {}, headline.join(' · ')),
    ),
    search.element,
    element(
      'div',
      { class: 'tools' },
      button({ label: 'Outline', title: 'Show or hide the outline (b)', onClick: toggleOutline }),
      button({ label: 'Open all', title: 'Open or fold everything (e)', onClick: () => timeline.toggleAll() }),
      button({ label: 'Notes', title: 'Show or hide notes (m)', onClick: () => timeline.toggleNotes() }),
      button({ label: '◐', title: 'Light, dark, or as the system has it (t)', onClick: nextTheme }),
      button({ label: '?', title: 'Keys (?)', onClick: () => help.toggle() }),
    ),
  );
}

function toggleOutline(): void {
  document.body.classList.toggle('without-outline');
}

/** Shows a notice while another path than the one to the leaf is displayed. */
function showBranchNote(tip: number | null): void {
  const { leaf } = log.session;
  aside.hidden = tip === leaf || leaf === null;
  const back = button({
    label: 'Back to the current position',
    title: `Back to @${leaf}`,
    onClick: () => timeline.goBack(),
  });
  aside.replaceChildren('This is a branch that was left. ', back);
}

function followHash(): void {
  const handle = /^#@(\d+)/.exec(decodeURIComponent(location.hash))?.[1];
  if (handle !== undefined) timeline.goTo(Number(handle));
}
