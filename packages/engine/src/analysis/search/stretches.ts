import { segmentsOf } from '../extract/segments.ts';

/** A few lines of a text, or a piece of a long one. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
}

/** Lines are looked at in stretches of about this many characters. */
const usual = 320;
/** What would make a stretch longer than this begins the next. */
const longest = 480;

/** The stretches of a text, from its beginning to its end. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;
  segmentsOf({
    text,
    visit: ({ line, from, to }) => {
      if (open && (open.to - open.from >= usual || to - open.from > longest)) {
        stretches.push(open);
        open = undefined;
      }
      open = { from: open?.from ?? from, to, lines: { from: open?.lines.from ?? line, to: line } };
    },
  });
  if (open) stretches.push(open);
  return stretches;
}
