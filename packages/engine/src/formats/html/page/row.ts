import { button, element } from '../../../page/browser/dom.ts';
import { count, day, moment, number, time } from '../../../page/browser/words.ts';
import type { PageEntry } from '../shape.ts';
import { compactionElement } from './compaction.ts';
import type { Log } from './log.ts';
import { type PartActions, partElement } from './part.ts';
import type { Row } from './rows.ts';

/** What can be done with a row. */
interface RowActions extends PartActions {
  readonly select: () => void;
  readonly copy: () => void;
}

export interface RowInput {
  readonly row: Row;
  readonly log: Log;
  readonly actions: RowActions;
}

/** A row of the timeline. */
export function rowElement({
  row,
  log,
  isSelected,
  actions,
}: RowInput & { readonly isSelected: boolean }): HTMLElement {
  const { entry, isFirstOfDay, goneSince } = row;
  const { handle, who, type } = entry;
  const kinds = ['row', who, `is-${type}`, goneSince === undefined ? '' : 'gone', isSelected ? 'selected' : ''];
  const body =
    type === 'compaction'
      ? compactionElement({ row, log, actions })
      : element(
          'div',
          { class: 'body' },
          headElement({ row, log, actions }),
          ...entry.parts.map((part, index) => partElement({ part, index, actions })),
        );
  return element(
    'article',
    { class: kinds.filter(Boolean).join(' '), data: { handle }, onClick: actions.select },
    isFirstOfDay && element('div', { class: 'day' }, day(entry.at)),
    element(
      'div',
      { class: 'gutter' },
      handleLink({ handle, goTo: actions.goTo }),
      element('time', { title: moment(entry.at) }, time(entry.at)),
    ),
    body,
    row.forks.length > 0 && forksElement({ row, log, goTo: actions.goTo }),
  );
}

/** A handle that leads to its entry. */
export function handleLink({
  handle,
  goTo,
}: {
  readonly handle: number;
  readonly goTo: (handle: number) => void;
}): HTMLElement {
  return element(
    'a',
    {
      class: 'handle',
      href: `#@${handle}`,
      onClick: (event) => {
        event.preventDefault();
        event.stopPropagation();
        goTo(handle);
      },
    },
    `@${handle}`,
  );
}

function headElement({ row, log, actions }: RowInput): HTMLElement {
  const { entry, effect, goneSince } = row;
  const usage = log.about(entry.handle).filter(({ type }) => type === 'usage');
  const call = entry.parts.flatMap((part) => (part.type === 'result' && part.call !== undefined ? [part.call] : []))[0];
  return element(
    'header',
    { class: 'head' },
    element('span', { class: 'name' }, entry.name),
    entry.label !== undefined && element('span', { class: 'tag' }, entry.label),
    element(
      'span',
      { class: 'facts' },
      call !== undefined && element('span', {}, 'of ', handleLink({ handle: call, goTo: actions.goTo })),
      entry.target !== undefined &&
        element('span', {}, 'about ', handleLink({ handle: entry.target, goTo: actions.goTo })),
      goneSince !== undefined &&
        element('span', { class: 'since' }, 'not sent since ', handleLink({ handle: goneSince, goTo: actions.goTo })),
      effect?.replaced && element('span', {}, `changed ${count({ amount: effect.replaced.count, of: 'message' })}`),
      entry.type === 'epoch' && element('span', {}, `${number(entry.context)} tokens are sent`),
      entry.tokens > 0 && element('span', { title: 'estimated' }, `${count({ amount: entry.tokens, of: 'token' })}`),
      ...usage.map(({ parts }) => element('span', { title: 'reported' }, usageText(parts))),
    ),
    button({
      label: 'Copy',
      title: 'Copy what this says (y)',
      class: 'copy',
      onClick: (event) => {
        event.stopPropagation();
        actions.copy();
      },
    }),
  );
}

function usageText([part]: PageEntry['parts']): string {
  return part && 'text' in part ? part.text.replace(/\d+/g, (digits) => number(Number(digits))) : '';
}

function forksElement({
  row,
  log,
  goTo,
}: {
  readonly row: Row;
  readonly log: Log;
  readonly goTo: (handle: number) => void;
}): HTMLElement {
  const ways = row.forks.map((fork) => {
    const name = log.get(fork)?.name ?? '';
    return element('span', { class: 'way' }, handleLink({ handle: fork, goTo }), ` ${name}`);
  });
  return element('div', { class: 'forks' }, '↳ other ways from here: ', ...ways);
}
