/** Opening quotation marks and their closing counterparts. */
const pairs: Readonly<Record<string, string>> = { '"': '"', '“': '”', '«': '»', '„': '“', '`': '`' };

/**
 * Splits a line into sentences. Quotations are not split; if a quotation mark is never closed, the line is one sentence.
 *
 * @example
 * sentencesOf('It works. "Go on. Please." was said.'); // ['It works.', '"Go on. Please." was said.']
 */
export function sentencesOf(line: string): string[] {
  const found: string[] = [];
  let start = 0;
  let closes: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line[at] ?? '';
    if (closes !== undefined) {
      if (sign === closes) closes = undefined;
    } else if (pairs[sign] !== undefined) {
      closes = pairs[sign];
    } else if (isEnd({ line, at })) {
      found.push(line.slice(start, at).trim());
      start = at;
    }
  }
  if (closes !== undefined) return [line.trim()].filter((sentence) => sentence !== '');
  return [...found, line.slice(start).trim()].filter((sentence) => sentence !== '');
}

/** Whitespace after the end of a sentence, or after its quotation mark, before a possible beginning. */
function isEnd({ line, at }: { readonly line: string; readonly at: number }): boolean {
  if (!/\s/.test(line[at] ?? '')) return false;
  // Titles, initials and abbreviations do not end a sentence.
  if (/(?:^|[\s(])(?:Mr|Mrs|Ms|Dr|Prof|St|e\.g|i\.e|vs|cf|[A-Z])\.$/.test(line.slice(Math.max(0, at - 6), at)))
    return false;
  return (
    /[.!?。！？]["”»“)\]*_]*$/u.test(line.slice(Math.max(0, at - 4), at)) &&
    /^\s+[^\s\p{Ll}]/u.test(line.slice(at, at + 9))
  );
}

const quotations = /"([^"\n]+)"|“([^“”\n]+)”|«([^«»\n]+)»|„([^„“\n]+)“|‘([^‘’\n]+)’/g;

/** Texts between quotation marks, but not code between backticks. */
export function quotationsIn(sentence: string): string[] {
  return [...sentence.matchAll(quotations)].map((match) => match.slice(1).find((text) => text !== undefined) ?? '');
}
