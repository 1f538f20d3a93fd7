import { element } from '../../../page/browser/dom.ts';
import { count, firstWords, lineCount } from '../../../page/browser/words.ts';
import type { PagePart } from '../shape.ts';
import { isFolded, nameKey, textKey } from './fields.ts';
import { styledText } from './styled-text.ts';

/** Lines of a long text that are shown at first: fewer for tool output than for messages. */
const fewLines = { said: 400, inside: 120 };

/** What can be done with the parts of an entry. */
export interface PartActions {
  readonly isOpen: (part: number) => boolean;
  /** Whether all of a long text is shown. */
  readonly isWhole: (part: number) => boolean;
  readonly toggle: (part: number) => void;
  readonly showWhole: (part: number) => void;
  readonly goTo: (handle: number) => void;
}

/** A part of an entry, folded away unless it was said by a person or a model, or has been opened. */
export function partElement({
  part,
  index,
  actions,
}: {
  readonly part: PagePart;
  readonly index: number;
  readonly actions: PartActions;
}): HTMLElement {
  if (part.type === 'image') return element('img', { class: 'image', src: part.source });
  if (!isFolded(part)) return textElement({ text: part.text, kind: 'said', index, actions });
  const isOpen = actions.isOpen(index);
  const head = element(
    'button',
    { class: 'fold-head', type: 'button', aria: { expanded: isOpen }, onClick: () => actions.toggle(index) },
    element('span', { class: 'arrow' }, isOpen ? '▾' : '▸'),
    ...headOf({ part, index, isOpen }),
  );
  const isError = part.type === 'result' && part.isError;
  const fold = element('div', { class: `fold of-${part.type}${isError ? ' failed' : ''}` }, head);
  if (isOpen) fold.append(textElement({ text: part.text, kind: 'inside', index, actions }));
  return fold;
}

function headOf({
  part,
  index,
  isOpen,
}: {
  readonly part: Exclude<PagePart, { type: 'image' }>;
  readonly index: number;
  readonly isOpen: boolean;
}): Node[] {
  const preview = element('span', { class: 'preview' }, isOpen ? '' : previewOf(part));
  const size = element('span', { class: 'size' }, count({ amount: lineCount(part.text), of: 'line' }));
  switch (part.type) {
    case 'call':
      return [element('b', { data: { field: nameKey(index) } }, part.name), preview];
    case 'result': {
      const outcome = element('span', { class: 'outcome' }, part.isError ? 'failed' : 'result');
      return [outcome, element('b', { data: { field: nameKey(index) } }, part.name), preview, size];
    }
    case 'thinking':
      return [element('i', {}, 'thinking'), preview, size];
    default:
      return [element('i', {}, part.title ?? titles[part.who] ?? 'put in by the agent'), preview, size];
  }
}

const titles: Partial<Record<string, string>> = { tool: 'output', data: 'attached data' };

function previewOf(part: Exclude<PagePart, { type: 'image' }>): string {
  return firstWords({ text: part.type === 'call' ? valuesOf(part.text) : part.text, length: 160 });
}

/** Of arguments, the values say more than their names and the braces around them. */
function valuesOf(text: string): string {
  try {
    const values: unknown[] = Object.values(JSON.parse(text));
    return values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('  ');
  } catch {
    return text;
  }
}

function textElement({
  text,
  kind,
  index,
  actions,
}: {
  readonly text: string;
  readonly kind: keyof typeof fewLines;
  readonly index: number;
  readonly actions: PartActions;
}): HTMLElement {
  const end = actions.isWhole(index) ? -1 : endOfLine({ text, number: fewLines[kind] });
  const field = element(
    'div',
    { class: `text ${kind}`, data: { field: textKey(index) } },
    styledText(end < 0 ? text : text.slice(0, end)),
  );
  if (end < 0) return field;
  const more = element(
    'button',
    { class: 'more', type: 'button', onClick: () => actions.showWhole(index) },
    `Show all ${count({ amount: lineCount(text), of: 'line' })}`,
  );
  return element('div', {}, field, more);
}

/** Where a text is long: the end of the line with this number, or of so many characters; -1 where it is not. */
function endOfLine({ text, number }: { readonly text: string; readonly number: number }): number {
  let at = -1;
  for (let line = 0; line < number; line += 1) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) break;
  }
  const most = number * 100;
  const end = at < 0 ? text.length : at + 1;
  if (end > most) return text.length > most * 1.2 ? most : -1;
  return end < text.length * 0.8 ? end : -1;
}
