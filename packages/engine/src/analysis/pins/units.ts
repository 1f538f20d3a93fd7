import { isPasted } from './pastes.ts';

/** A sentence or a list item, verbatim. */
export interface TextUnit {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const fence = /^\s{0,3}(?:`{3,}|~{3,})/;
const bullet = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const heading = /^\s{0,3}#{1,6}\s/;

/** The end of a sentence: punctuation before whitespace, or full-width punctuation. */
const sentenceEnd = /(?<=[.!?]["')\]]?)\s+(?=\S)|(?<=[。！？])/;

/** A longer line was pasted. */
const maxLine = 2000;

/**
 * The sentences and list items that a person wrote, without code blocks, quotations, tagged blocks and pasted output.
 */
export function unitsOf(text: string): TextUnit[] {
  const units: TextUnit[] = [];
  for (const { lines, first } of paragraphsOf(text)) {
    if (isPasted(lines)) continue;
    lines.forEach((line, index) => {
      if (line.length > maxLine || heading.test(line) || /^\s*[>|]/.test(line)) return;
      units.push(...sentences({ line, number: first + index }));
    });
  }
  return units;
}

function sentences({ line, number }: { readonly line: string; readonly number: number }): TextUnit[] {
  const body = line.replace(bullet, '').trim();
  // A list item is one rule, with its reason.
  const isItem = bullet.test(line) && body.length <= 300;
  return (isItem ? [body] : body.split(sentenceEnd))
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => ({ text: one, line: number }));
}

interface Paragraph {
  readonly lines: readonly string[];
  /** The number of its first line, from 1. */
  readonly first: number;
}

/** Paragraphs outside of code blocks and tagged blocks. */
function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let current: string[] = [];
  let closing: ((line: string) => boolean) | undefined;
  const all = text.split('\n');
  const close = (before: number) => {
    if (current.length > 0) paragraphs.push({ lines: current, first: before - current.length + 1 });
    current = [];
  };
  for (const [index, line] of all.entries()) {
    if (closing) {
      if (closing(line)) closing = undefined;
      continue;
    }
    closing = opened(line);
    if (closing || line.trim() === '') close(index);
    else current.push(line);
  }
  close(all.length);
  return paragraphs;
}

/** The end condition of a block that begins with this line. An unclosed block extends to the end of the text. */
function opened(line: string): ((line: string) => boolean) | undefined {
  const mark = fence.exec(line)?.[0].trim();
  if (mark !== undefined) return (later) => later.trim().startsWith(mark) && fence.test(later);
  const tag = /^\s*<([a-z][\w-]{0,60})(?:\s[^<>]{0,200})?>/i.exec(line)?.[1];
  if (tag === undefined || line.includes(`</${tag}>`)) return undefined;
  return (later) => later.includes(`</${tag}>`);
}
