import { attachmentCost } from './cost.ts';
import { outline } from './outline.ts';
import { lineStarts } from './render.ts';

/** Lines, 1-based and inclusive. */
interface LineRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The lines of a document that an outline shows, in order: for callers that print lines in a way of their own.
 *
 * @example
 * await outlineLines({ path: 'a.ts', text, characters: 4_000 }); // [{ from: 1, to: 12 }, { from: 40, to: 40 }]
 */
export async function outlineLines(of: {
  readonly path: string;
  readonly text: string;
  /** What is near these lines is shown first, and they themselves always. */
  readonly around?: LineRange | undefined;
  /** Of all shown lines together; more only where `around` alone has more. */
  readonly characters: number;
}): Promise<LineRange[]> {
  const { path, text, around, characters } = of;
  const starts = lineStarts(text);
  const selection = around && {
    start: starts[around.from - 1] ?? text.length,
    end: starts[around.to] ?? text.length,
  };
  const { documents } = await outline({
    documents: [{ path, text, ...(selection && { selection }) }],
    budget: { characters },
    cost: attachmentCost,
  });
  const ranges: LineRange[] = [];
  let line = 0;
  const lineOf = (at: number) => {
    while (line + 1 < starts.length && (starts[line + 1] ?? 0) <= at) line += 1;
    return line + 1;
  };
  for (const { start, end } of documents[0]?.segments ?? []) {
    if (end <= start) continue;
    const span = { from: lineOf(start), to: lineOf(end - 1) };
    const last = ranges.at(-1);
    if (last && span.from <= last.to + 1)
      ranges[ranges.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
    else ranges.push(span);
  }
  return ranges;
}
