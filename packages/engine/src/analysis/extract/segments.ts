/** A stretch of one line of a text: the whole line, or a piece of one that is too long to be taken or left as it is. */
export interface Segment {
  /** From 1. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** How long a piece of a line is. */
const pieceLength = 140;
/** A line this long is still taken whole. */
const longestLine = 180;
/** A line inside JSON is at least this long to be a piece of its own. */
const shortestEscaped = 24;
/** A piece is at least this long before it ends at a mark. */
const shortestPiece = 55;

/**
 * The lines of a text, long ones in pieces that end where a sentence, a value or at least a word does. Pieces follow each
 * other without gaps; lines end at `\n` and nowhere else, as in handles.
 *
 * @example
 * segmentsOf({ text: 'one\ntwo', visit: ({ line, from, to }) => console.log(line, from, to) });
 */
export function segmentsOf({ text, visit }: { readonly text: string; readonly visit: (segment: Segment) => void }) {
  let line = 1;
  for (let start = 0; start <= text.length; line += 1) {
    const feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    for (let from = start; from < end; ) {
      const to = end - from <= longestLine ? end : endOfPiece({ text, from });
      visit({ line, from, to });
      from = to;
    }
    start = end + 1;
  }
}

/** Marks after which a line may be parted, the best first. In JSON, `\n` stands for the end of a line. */
const marks = ['\\n', '. ', '; ', '? ', '! ', '},', '",', ';', ',', '}', ' '] as const;

function endOfPiece({ text, from }: { readonly text: string; readonly from: number }): number {
  const window = text.slice(from, from + pieceLength);
  const escaped = window.indexOf('\\n', shortestEscaped);
  if (escaped >= 0) return from + escaped + 2;
  for (const mark of marks) {
    const at = window.lastIndexOf(mark);
    if (at >= shortestPiece) return from + at + mark.length;
  }
  const end = from + pieceLength;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd800 && code < 0xdc00 ? end - 1 : end;
}
