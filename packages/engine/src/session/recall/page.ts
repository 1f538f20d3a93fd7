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
