import type { Entry } from '../entry/entry.ts';
import { writeEntry } from '../entry/schema.ts';
import { badHandle } from '../errors.ts';
import { formatHandle, type Handle } from './handle.ts';
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

// Apart from this file, so that the thread of a store can index texts without loading the schemas of entries.

/** The text of a whole entry: what it says, part by part, or the JSON of an entry that is there to say nothing. */
function entryText(entry: Entry): string {
  const texts = textsOf(entry);
  const isSilent = texts.length === 0 && entry.type !== 'message' && entry.type !== 'custom_message';
  if (isSilent) return JSON.stringify(writeEntry(entry));
  // Media would bury what was said; each is there under its own handle.
  const prose = texts.filter(({ isProse }) => isProse);
  return (prose.length > 0 ? prose : texts).map(({ text }) => text).join('\n');
}

/** Characters of a page, when nothing else is asked for. */
const defaultLength = 16_000;

/**
 * One page of a text. Pages end after a line where there is one in the second half of the page, never inside a
 * character, and joined they are the text. `text` is `undefined` where there is no such page.
 */
export function pageOf({
  text,
  page,
  pageLength = defaultLength,
}: {
  readonly text: string;
  /** From 1. */
  readonly page: number;
  readonly pageLength?: number;
}): { readonly text: string | undefined; readonly pages: number } {
  // Two, so that a surrogate pair fits.
  const length = Math.max(2, Math.floor(pageLength));
  let start = 0;
  let pages = 0;
  let found: string | undefined;
  do {
    const end = endOf({ text, start, length });
    pages += 1;
    if (pages === page) found = text.slice(start, end);
    start = end;
  } while (start < text.length);
  return { text: found, pages };
}

function endOf({
  text,
  start,
  length,
}: {
  readonly text: string;
  readonly start: number;
  readonly length: number;
}): number {
  const end = start + length;
  if (end >= text.length) return text.length;
  const half = start + Math.ceil(length / 2);
  const line = text.slice(half, end).lastIndexOf('\n');
  if (line >= 0) return half + line + 1;
  return isPair(text, end) ? end - 1 : end;
}

/** Whether a cut here would part a surrogate pair. */
function isPair(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}
