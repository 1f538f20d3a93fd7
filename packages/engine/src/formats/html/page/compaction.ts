import { button, element } from '../../../page/browser/dom.ts';
import { count, firstWords, number } from '../../../page/browser/words.ts';
import { partElement } from './part.ts';
import { handleLink, type RowInput } from './row.ts';
import { within } from './rows.ts';

/** The part under which the list of what was replaced is opened; no entry has so many of its own. */
const replacedPart = 1_000_000;

/** So many of the messages that were replaced are listed. */
const mostListed = 200;

/** A compaction: tokens freed, the summary, and the entries it replaces. */
export function compactionElement({ row, log, actions }: RowInput): HTMLElement {
  const { entry, effect } = row;
  const { goTo } = actions;
  const [summary] = entry.parts;
  return element(
    'div',
    { class: 'body' },
    element(
      'header',
      { class: 'head' },
      element('span', { class: 'name' }, 'compaction'),
      effect
        ? sizeElement({ before: entry.context, after: effect.context })
        : element('span', { class: 'facts' }, 'not in force'),
      entry.kept !== undefined &&
        element(
          'span',
          { class: 'facts' },
          element('span', {}, 'verbatim from ', handleLink({ handle: entry.kept, goTo })),
        ),
      button({ label: 'Copy', title: 'Copy the summary (y)', class: 'copy', onClick: actions.copy }),
    ),
    summary && partElement({ part: summary, index: 0, actions }),
    effect?.replaced && replacedElement({ row, log, actions }),
  );
}

function sizeElement({ before, after }: { readonly before: number; readonly after: number }): HTMLElement {
  const bar = element('span', { class: 'bar' }, element('span', { class: 'bar-after' }));
  const inner = bar.firstElementChild;
  if (inner instanceof HTMLElement) inner.style.width = `${Math.round((100 * after) / Math.max(1, before, after))}%`;
  return element(
    'span',
    { class: 'shrink', title: 'tokens, estimated' },
    `${number(before)} → ${number(after)} tokens`,
    bar,
  );
}

function replacedElement({ row, log, actions }: RowInput): HTMLElement | false {
  const messages = row.effect?.replaced;
  if (!messages) return false;
  const [first] = messages.stretches[0] ?? [0];
  const isOpen = actions.isOpen(replacedPart);
  const head = element(
    'button',
    { class: 'fold-head', type: 'button', aria: { expanded: isOpen }, onClick: () => actions.toggle(replacedPart) },
    element('span', { class: 'arrow' }, isOpen ? '▾' : '▸'),
    element('i', {}, `replaced ${count({ amount: messages.count, of: 'message' })}`),
  );
  const jump = element('span', { class: 'jump' }, 'jump to ', handleLink({ handle: first, goTo: actions.goTo }));
  const fold = element('div', { class: 'fold replaced' }, element('div', { class: 'fold-line' }, head, jump));
  if (isOpen) fold.append(replacedList({ row, log, actions }));
  return fold;
}

function replacedList({ row, log, actions }: RowInput): HTMLElement {
  const replaced = within({ path: log.pathTo(row.entry.handle), messages: row.effect?.replaced });
  const items = replaced.slice(0, mostListed).map((entry) => {
    const said = entry.parts.map((part) => ('text' in part ? part.text : part.type)).join(' ');
    return element(
      'li',
      {},
      handleLink({ handle: entry.handle, goTo: actions.goTo }),
      element('span', { class: `who ${entry.who}` }, entry.name),
      element('span', { class: 'preview' }, firstWords({ text: said, length: 120 })),
    );
  });
  const rest = replaced[mostListed];
  if (rest) {
    const more = count({ amount: replaced.length - mostListed, of: 'message' });
    items.push(element('li', {}, `and ${more} from `, handleLink({ handle: rest.handle, goTo: actions.goTo })));
  }
  return element('ol', { class: 'replaced-list' }, ...items);
}
