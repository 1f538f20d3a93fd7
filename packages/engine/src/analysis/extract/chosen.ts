import type { SectionName } from './document/sections.ts';
import type { Passage, SessionReading } from './reading.ts';
import type { LineOrigin } from './weights.ts';

/** A selected line, verbatim, or part of a long one, with `…` where it continues. */
export interface ChosenLine {
  /** The number in `@12`. */
  readonly handle: number;
  /** From 1; absent if the entry has only one. */
  readonly part?: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  readonly section: SectionName;
  readonly origin: LineOrigin;
  /** The order of selection, from 0; lower is worth more. */
  readonly rank: number;
}

/** Marks an omitted part of a line. */
export const gap = '…';

/** Maximum adjacent pieces of a line that are joined. */
const maxPieces = 4;

/** Passages as lines in the order of the session, adjacent pieces joined. */
export function chosenLines({
  reading,
  passages,
}: {
  readonly reading: SessionReading;
  readonly passages: readonly Passage[];
}): ChosenLine[] {
  const sorted = passages
    .map((passage, rank) => ({ ...passage, rank }))
    .sort((a, b) => a.item - b.item || a.part - b.part || a.from - b.from);
  const runs: (typeof sorted)[] = [];
  for (const passage of sorted) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && follows({ last, passage }) && run.length < maxPieces) run.push(passage);
    else runs.push([passage]);
  }
  return runs.flatMap((pieces) => lineOf({ reading, pieces }));
}

function follows({ last, passage }: { readonly last: Passage; readonly passage: Passage }): boolean {
  const isSamePart = last.item === passage.item && last.part === passage.part;
  return isSamePart && last.line === passage.line && last.to === passage.from;
}

function lineOf({
  reading,
  pieces,
}: {
  readonly reading: SessionReading;
  readonly pieces: readonly (Passage & { readonly rank: number })[];
}): ChosenLine[] {
  const [first, last] = [pieces[0], pieces.at(-1)];
  if (!first || !last) return [];
  const { item, part, line, section, origin } = first;
  const source = reading.items[item];
  const whole = reading.partText({ item, part });
  const before = isStart({ whole, at: first.from }) ? '' : gap;
  const after = isEnd({ whole, at: last.to }) ? '' : gap;
  return [
    {
      handle: source?.handle ?? 0,
      ...((source?.message.parts.length ?? 1) > 1 && { part }),
      lines: { from: line, to: line },
      text: `${before}${whole.slice(first.from, last.to).trim()}${after}`,
      section,
      origin,
      rank: Math.min(...pieces.map(({ rank }) => rank)),
    },
  ];
}

function isStart({ whole, at }: { readonly whole: string; readonly at: number }): boolean {
  return at === 0 || whole[at - 1] === '\n';
}

function isEnd({ whole, at }: { readonly whole: string; readonly at: number }): boolean {
  return at >= whole.length || whole[at] === '\n';
}
