import type { SectionName } from './document/sections.ts';
import type { Passage, Reading } from './reading.ts';
import type { Origin } from './weights.ts';

/** Lines that were chosen, exactly as they stand at their handle; `…` where pieces of a long line are left out. */
export interface ChosenLine {
  /** The entry's, as in `@12`. */
  readonly handle: number;
  /** From 1; absent where the entry has only this one. */
  readonly part?: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  readonly section: SectionName;
  readonly origin: Origin;
  /** How early it was chosen, from 0: the lower, the more it is worth. */
  readonly rank: number;
}

/** What stands between two pieces of a line. */
export const gap = '…';

/** Passages in the order of the session, pieces of one line joined. */
export function chosenLines({
  reading,
  passages,
}: {
  readonly reading: Reading;
  readonly passages: readonly Passage[];
}): ChosenLine[] {
  const sorted = passages
    .map((passage, rank) => ({ ...passage, rank }))
    .sort((a, b) => a.item - b.item || a.part - b.part || a.from - b.from);
  const lines: ChosenLine[] = [];
  for (let index = 0; index < sorted.length; ) {
    const first = sorted[index];
    if (!first) break;
    let end = index + 1;
    while (isSameLine(first, sorted[end])) end += 1;
    lines.push(lineOf({ reading, pieces: sorted.slice(index, end), first }));
    index = end;
  }
  return lines;
}

function isSameLine(a: Passage, b: Passage | undefined): boolean {
  return b !== undefined && a.item === b.item && a.part === b.part && a.line === b.line;
}

function lineOf({
  reading,
  pieces,
  first,
}: {
  readonly reading: Reading;
  readonly pieces: readonly (Passage & { readonly rank: number })[];
  readonly first: Passage;
}): ChosenLine {
  const { item, part, line, section, origin } = first;
  const source = reading.items[item];
  const whole = reading.partText({ item, part });
  let text = isStart({ whole, at: first.from }) ? '' : gap;
  let at = first.from;
  for (const { from, to } of pieces) {
    if (from > at) text = `${text.trimEnd()} ${gap} `;
    text += from > at ? whole.slice(from, to).trimStart() : whole.slice(from, to);
    at = to;
  }
  text = text.trim();
  if (!isEnd({ whole, at })) text += gap;
  return {
    handle: source?.handle ?? 0,
    ...((source?.message.parts.length ?? 1) > 1 && { part }),
    lines: { from: line, to: line },
    text,
    section,
    origin,
    rank: Math.min(...pieces.map(({ rank }) => rank)),
  };
}

function isStart({ whole, at }: { readonly whole: string; readonly at: number }): boolean {
  return at === 0 || whole[at - 1] === '\n';
}

function isEnd({ whole, at }: { readonly whole: string; readonly at: number }): boolean {
  return at >= whole.length || whole[at] === '\n';
}
