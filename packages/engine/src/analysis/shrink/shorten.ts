/** Share of the beginning; the end gets more, because outcomes are there. */
const headShare = 0.4;

/** Maximum iterations; each one gets closer to the limit. */
const maxAttempts = 12;

/**
 * Shortens a text to its beginning and end with a note in between, cut at a nearby line end and never inside a character.
 * The limit includes the note.
 *
 * @example
 * shorten({ text: log, limit: 500, count, note: ({ chars }) => `[… ${chars} characters left out; recall @12 for all …]` });
 */
export function shorten({
  text,
  limit,
  count,
  note,
}: {
  readonly text: string;
  readonly limit: number;
  readonly count: (text: string) => number;
  readonly note: (missing: { readonly chars: number; readonly lines: number }) => string;
}): string {
  // Tokens are hardly ever longer, so most long texts need not be counted.
  const longest = limit * 12;
  if (text.length <= longest && count(text) <= limit) return text;
  let chars = Math.min(text.length - 1, limit * 4);
  for (let attempt = 0; attempt < maxAttempts && chars > 0; attempt += 1) {
    const shortened = cut({ text, chars, note });
    const tokens = count(shortened);
    if (tokens <= limit) return shortened;
    chars = Math.floor(Math.min(chars * 0.9, (chars * limit * 0.95) / tokens));
  }
  return cut({ text, chars: 0, note });
}

function cut({
  text,
  chars,
  note,
}: {
  readonly text: string;
  readonly chars: number;
  readonly note: (missing: { readonly chars: number; readonly lines: number }) => string;
}): string {
  const head = endOfHead({ text, at: Math.floor(chars * headShare) });
  const tail = startOfTail({ text, at: text.length - Math.floor(chars * (1 - headShare)) });
  const missing = text.slice(head, tail);
  const notice = note({ chars: missing.length, lines: missing.split('\n').length });
  const before = text.slice(0, head);
  const after = text.slice(tail);
  return `${before}${before === '' || before.endsWith('\n') ? '' : '\n'}${notice}${after === '' ? '' : '\n'}${after}`;
}

/** Maximum distance of a line end to cut at. */
const near = 200;

function endOfHead({ text, at }: { readonly text: string; readonly at: number }): number {
  const feed = text.lastIndexOf('\n', at - 1);
  if (feed >= 0 && at - feed <= near) return feed + 1;
  return placeholderAround({ text, at })?.from ?? (isInsideCharacter({ text, at }) ? at - 1 : at);
}

function startOfTail({ text, at }: { readonly text: string; readonly at: number }): number {
  const feed = text.indexOf('\n', at);
  if (feed >= 0 && feed - at < near && feed + 1 < text.length) return feed + 1;
  return placeholderAround({ text, at })?.to ?? (isInsideCharacter({ text, at }) ? at + 1 : at);
}

/** A placeholder of a masked secret must not be cut. */
function placeholderAround(of: {
  readonly text: string;
  readonly at: number;
}): { readonly from: number; readonly to: number } | undefined {
  const start = Math.max(0, of.at - placeholderLength);
  for (const found of of.text.slice(start, of.at + placeholderLength).matchAll(/\[secret:[0-9a-f]{6}\]/g)) {
    const from = start + found.index;
    if (from < of.at && of.at < from + placeholderLength) return { from, to: from + placeholderLength };
  }
  return undefined;
}

const placeholderLength = '[secret:000000]'.length;

function isInsideCharacter({ text, at }: { readonly text: string; readonly at: number }): boolean {
  const [before, after] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
}
