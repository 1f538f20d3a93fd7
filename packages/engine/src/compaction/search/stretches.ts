/** A few lines of a text, or a piece of a long one. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
}

/** Lines are looked at in stretches of about this many characters. */
const usual = 320;
/** A line that would make a stretch longer than this is a stretch of its own, or parted. */
const longest = 480;

/** The stretches of a text. They follow each other without gaps. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let line = 1;
  for (let from = 0; from < text.length; ) {
    let to = from;
    let next = line;
    while (to < text.length && to - from < usual) {
      const feed = text.indexOf('\n', to);
      const end = feed < 0 ? text.length : feed + 1;
      if (end - from > longest) {
        if (to === from) to = whole({ text, at: from + usual });
        break;
      }
      to = end;
      next += 1;
    }
    stretches.push({ from, to, lines: { from: line, to: Math.max(line, next - 1) } });
    line = next;
    from = to;
  }
  return stretches;
}

/** The place, or the one before where it is inside a character. */
function whole({ text, at }: { readonly text: string; readonly at: number }): number {
  const code = text.charCodeAt(at - 1);
  return code >= 0xd800 && code < 0xdc00 ? at - 1 : at;
}
