import type { Entry } from '../entry/entry.ts';
import { badHandle } from '../errors.ts';
import { entryText } from './entry-text.ts';
import { formatHandle, type Handle } from './handle.ts';
import { pageOf } from './page.ts';
import { textsOf } from './part-text.ts';

/** What recall gives: exactly the text at a handle, or one page of it. */
export interface Recalled {
  readonly handle: string;
  readonly text: string;
  /** From 1. */
  readonly page: number;
  readonly pages: number;
}

/**
 * The text of exactly what a handle names, or one page of it. All pages joined are the text.
 *
 * @example
 * const { text } = recallFrom({ entry, handle: parseHandle('@12.2:40-80') });
 */
export function recallFrom({
  entry,
  handle,
  page,
  pageLength,
}: {
  readonly entry: Entry;
  readonly handle: Handle;
  /** From 1; the whole text when left out. */
  readonly page?: number | undefined;
  readonly pageLength?: number | undefined;
}): Recalled {
  const name = formatHandle(handle);
  const whole = textAt({ entry, handle, name });
  const text = handle.lines ? linesOf({ text: whole, lines: handle.lines, name }) : whole;
  if (page === undefined) return { handle: name, text, page: 1, pages: 1 };
  const found = pageOf({ text, page, ...(pageLength !== undefined && { pageLength }) });
  if (found.text === undefined) throw badHandle({ text: name, why: `has ${found.pages} pages, and no page ${page}` });
  return { handle: name, text: found.text, page, pages: found.pages };
}

function textAt({ entry, handle, name }: { readonly entry: Entry; readonly handle: Handle; readonly name: string }) {
  if (handle.part === undefined) return entryText(entry);
  const texts = textsOf(entry);
  const found = texts[handle.part - 1];
  if (!found) throw badHandle({ text: name, why: `names a part that is not there: the entry has ${texts.length}` });
  return found.text;
}

/** Lines end at \n and nowhere else: a tool may have written U+2028 or a lone \r inside a line. */
function linesOf({
  text,
  lines,
  name,
}: {
  readonly text: string;
  readonly lines: { readonly from: number; readonly to: number };
  readonly name: string;
}): string {
  const all = text.split('\n');
  if (lines.from > all.length)
    throw badHandle({ text: name, why: `names lines that are not there: it has ${all.length}` });
  return all.slice(lines.from - 1, lines.to).join('\n');
}
