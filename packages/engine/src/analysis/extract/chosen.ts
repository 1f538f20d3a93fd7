import type { SectionName } from './document/sections.ts';
import type { Passage, Reading } from './reading.ts';
import type { Origin } from './weights.ts';

/** A line that was chosen, exactly as it stands at its handle; or a piece of a long one, with `…` where more of it is. */
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

/** What stands where a piece of a line is left out. */
export const gap = '…';

/** So many pieces of a line that follow each other are one. */
const mostPieces = 4;

/** Passages in the order of the session, neighboring pieces of one line joined. */
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
  const runs: (typeof sorted)[] = [];
  for (const passage of sorted) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && follows({ last, passage }) && run.length < mostPieces) run.push(passage);
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
  readonly reading: Reading;
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
