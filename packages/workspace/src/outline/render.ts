import type { OutlineNode } from './tree.ts';

/** How line numbers are shown: not at all, for what is left out, or before every line. */
export type LineNumbers = 'none' | 'omitted' | 'full';

/** A run of the original text in the projected one. */
export interface Segment {
  /** In the original. */
  readonly start: number;
  readonly end: number;
  /** In the projection, where the run begins. */
  readonly at: number;
}

export interface Rendering {
  readonly text: string;
  readonly segments: readonly Segment[];
}

export interface RenderStyle {
  readonly lineNumbers: LineNumbers;
  /** `/* … *\/` in place of `…`, so that what is shown still parses. */
  readonly keepsTypes: boolean;
  /** A marker for every run that is left out, not only between brackets. */
  readonly alwaysMarks: boolean;
}

const opening = /[{[(]\s*$/;
const closing = /^\s*[}\])]/;

/** The surviving leaves of a document in order, with markers for what is left out. */
export function render(of: {
  readonly text: string;
  readonly leaves: readonly OutlineNode[];
  readonly isShown: (leaf: OutlineNode) => boolean;
  readonly style: RenderStyle;
}): Rendering {
  const { text, leaves, isShown, style } = of;
  const segments: Segment[] = [];
  const lines = style.lineNumbers === 'none' ? undefined : lineCounter(text);
  let out = '';
  let omitted: { start: number; end: number } | undefined;
  for (const leaf of leaves) {
    if (!isShown(leaf)) {
      omitted = omitted ? { start: omitted.start, end: leaf.end } : { start: leaf.start, end: leaf.end };
      continue;
    }
    if (omitted) {
      out += marker({ text, omitted, before: out, after: text.slice(leaf.start, leaf.start + 200), style, lines });
      omitted = undefined;
    }
    segments.push({ start: leaf.start, end: leaf.end, at: out.length });
    out += text.slice(leaf.start, leaf.end);
  }
  if (omitted) out += marker({ text, omitted, before: out, after: '', style, lines });
  return style.lineNumbers === 'full' ? numbered({ text, out, segments }) : { text: out, segments };
}

function marker(of: {
  readonly text: string;
  readonly omitted: { readonly start: number; readonly end: number };
  readonly before: string;
  readonly after: string;
  readonly style: RenderStyle;
  readonly lines: ((at: number) => number) | undefined;
}): string {
  const { text, omitted, before, after, style, lines } = of;
  const isBlank = text.slice(omitted.start, omitted.end).trim() === '';
  if (isBlank) return '';
  const indent = /^[ \t]*/.exec(text.slice(omitted.start, omitted.start + 200))?.[0] ?? '';
  if (style.lineNumbers === 'omitted' && lines) {
    const [first, last] = [lines(omitted.start), lines(Math.max(omitted.start, omitted.end - 1))];
    const range = first === last ? `Line ${first} omitted` : `Lines ${first}-${last} omitted`;
    return line({ before, indent, content: `/* ${range} */` });
  }
  const ellipsis = style.keepsTypes ? '/* … */' : '…';
  const isBetweenBrackets = opening.test(before.slice(-200)) && closing.test(after);
  return isBetweenBrackets || style.alwaysMarks ? line({ before, indent, content: ellipsis }) : '';
}

/** A line of its own where the text before ends one. */
function line({
  before,
  indent,
  content,
}: {
  readonly before: string;
  readonly indent: string;
  readonly content: string;
}) {
  return before === '' || before.endsWith('\n') ? `${indent}${content}\n` : content;
}

/** 1-based line of an offset. */
function lineCounter(text: string): (at: number) => number {
  const starts = lineStarts(text);
  return (at) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

export function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1))
    starts.push(at + 1);
  return starts;
}

/** Each line with its number in the original; markers have none. */
function numbered(of: {
  readonly text: string;
  readonly out: string;
  readonly segments: readonly Segment[];
}): Rendering {
  const { out, segments } = of;
  const lineAt = lineCounter(of.text);
  const moved: Segment[] = [];
  let [text, index] = ['', 0];
  for (let start = 0; start < out.length; ) {
    const newline = out.indexOf('\n', start);
    const end = newline < 0 ? out.length : newline + 1;
    while (index + 1 < segments.length && (segments[index + 1]?.at ?? 0) <= start) index += 1;
    const segment = segments[index];
    const isOriginal = segment && segment.at <= start && start < segment.at + (segment.end - segment.start);
    if (segment && isOriginal) {
      const original = segment.start + (start - segment.at);
      text += `${lineAt(original)}: `;
      moved.push({ start: original, end: original + (end - start), at: text.length });
    }
    text += out.slice(start, end);
    start = end;
  }
  return { text, segments: moved };
}
