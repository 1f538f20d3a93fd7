import type { Message } from '../../message/index.ts';
import { partTexts } from '../../session/index.ts';
import type { SourceItem } from '../source-item.ts';
import type { ChosenLine } from './chosen.ts';
import { render } from './document/render.ts';
import type { Sections } from './document/sections.ts';
import { extract } from './extract.ts';
import type { Reading } from './reading.ts';
import type { Weights } from './weights.ts';

/** A summary that no model wrote. */
export interface Composed {
  readonly text: string;
  readonly tokens: number;
  readonly lines: readonly ChosenLine[];
}

/** The chooser guesses what handles cost; a little too much is chosen, and what is too much left out. */
const generous = 1.12;
/** With a line its handle may go, too: so much of what is too much is looked for in the lines. */
const mostly = 0.8;

/**
 * The whole document within a budget: what is known of the sections as it is, and as many chosen lines as fit. Where what
 * is known alone is too much, it comes without lines: whoever knows it bounds it.
 *
 * @example
 * const { text } = compose({ items, kept, budget: 14_000, count });
 */
export function compose({
  items,
  kept = [],
  known = [],
  root,
  budget,
  count,
  focus,
  weights,
  reading,
}: {
  readonly items: readonly SourceItem[];
  /** Of the items, where they were read before. */
  readonly reading?: Reading | undefined;
  /** What follows and is sent as it is: what it says need not be said twice. */
  readonly kept?: readonly Message[];
  /** What others know of the sections. */
  readonly known?: readonly Sections[];
  /** The folder of the project: what lies in it is named from there. */
  readonly root?: string | undefined;
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly focus?: string | undefined;
  readonly weights?: Weights | undefined;
}): Composed {
  const context = [...kept.flatMap(textsOf), ...known.flatMap((sections) => Object.values(sections).flat())];
  const written = (lines: readonly ChosenLine[]) => render({ items, lines, known, root });
  const room = Math.max(0, budget - count(written([])));
  let { lines } = extract({ items, context, budget: room * generous, count, focus, weights, reading });
  for (;;) {
    const text = written(lines);
    const tokens = count(text);
    if (tokens <= budget || lines.length === 0) return { text, tokens, lines };
    lines = without({ lines, excess: tokens - budget, count });
  }
}

/** The lines without the last chosen ones, which come to at least `excess` tokens. */
function without({
  lines,
  excess,
  count,
}: {
  readonly lines: readonly ChosenLine[];
  readonly excess: number;
  readonly count: (text: string) => number;
}): ChosenLine[] {
  const left = lines.toSorted((a, b) => a.rank - b.rank);
  for (let tokens = 0; tokens < excess * mostly && left.length > 0; ) tokens += count(left.pop()?.text ?? '') + 1;
  const last = left.at(-1)?.rank ?? -1;
  return lines.filter(({ rank }) => rank <= last);
}

function textsOf({ parts }: Message): string[] {
  return partTexts(parts).flatMap(({ text, isProse }) => (isProse ? text : []));
}
