import type { Hit } from './search.ts';

/** So many matches are marked in what is in the document: a page of dots is not to be read anyway. */
const mostMarks = 2000;

/**
 * Marks what was found in the rows that are there. The browser draws the marks over the text; the document stays as it
 * is.
 */
export function mark({ root, pattern }: { readonly root: HTMLElement; readonly pattern: RegExp | undefined }): void {
  const ranges: Range[] = [];
  for (const field of pattern ? root.querySelectorAll<HTMLElement>('[data-field]') : []) {
    for (const found of pattern ? (field.textContent ?? '').matchAll(pattern) : []) {
      if (ranges.length >= mostMarks) break;
      const range = rangeIn({ field, start: found.index, end: found.index + found[0].length });
      if (range) ranges.push(range);
    }
  }
  draw({ name: 'found', ranges });
}

/** Marks one match as the one that was gone to, and answers where it is. */
export function markCurrent({
  row,
  hit,
}: {
  readonly row: HTMLElement | undefined;
  readonly hit: Hit | undefined;
}): DOMRect | undefined {
  const field = hit && row?.querySelector<HTMLElement>(`[data-field="${hit.field}"]`);
  const range = field ? rangeIn({ field, start: hit.start, end: hit.end }) : undefined;
  draw({ name: 'current', ranges: range ? [range] : [] });
  return range?.getBoundingClientRect();
}

function draw({ name, ranges }: { readonly name: string; readonly ranges: readonly Range[] }): void {
  // A browser without it finds and goes there all the same.
  if (!('highlights' in CSS)) return;
  CSS.highlights.set(name, new Highlight(...ranges));
}

/** The stretch of a field's text, over the elements that style it. */
function rangeIn({
  field,
  start,
  end,
}: {
  readonly field: HTMLElement;
  readonly start: number;
  readonly end: number;
}): Range | undefined {
  const texts = document.createTreeWalker(field, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  let before = 0;
  let isBegun = false;
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const length = text.nodeValue?.length ?? 0;
    if (!isBegun && start < before + length) {
      range.setStart(text, start - before);
      isBegun = true;
    }
    if (isBegun && end <= before + length) {
      range.setEnd(text, end - before);
      return range;
    }
    before += length;
  }
  return undefined;
}
