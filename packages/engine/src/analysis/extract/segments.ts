/** A whole line, or a piece of a long one. */
export interface LineSegment {
  /** From 1. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** Maximum length of a piece. */
const pieceLength = 140;
/** Longer lines are split. */
const maxLine = 180;
/** A line inside JSON is at least this long to be a piece of its own. */
const shortestEscaped = 24;
/** Minimum length of a piece. */
const minPiece = 55;

/**
 * The lines of a text, long ones in adjacent pieces that end after a sentence, a value or at least a word. Lines end only at
 * `\n`, as in handles.
 *
 * @example
 * segmentsOf({ text: 'one\ntwo', visit: ({ line, from, to }) => console.log(line, from, to) });
 */
export function segmentsOf({ text, visit }: { readonly text: string; readonly visit: (segment: LineSegment) => void }) {
  let line = 1;
  for (let start = 0; start <= text.length; line += 1) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    for (let from = start; from < end; ) {
      const to = end - from <= maxLine ? end : endOfPiece({ text, from });
      visit({ line, from, to });
      from = to;
    }
    start = end + 1;
  }
}

/** Marks after which a line may be split, best first; `\n` is an escaped line break in JSON. */
const marks = ['\\n', '. ', '; ', '? ', '! ', '},', '",', ';', ',', '}', ' '] as const;

function endOfPiece({ text, from }: { readonly text: string; readonly from: number }): number {
  const window = text.slice(from, from + pieceLength);
  const escaped = window.indexOf('\\n', shortestEscaped);
  if (escaped >= 0) return from + escaped + 2;
  for (const mark of marks) {
    const at = window.lastIndexOf(mark);
    if (at >= minPiece) return from + at + mark.length;
  }
  const end = from + pieceLength;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}
