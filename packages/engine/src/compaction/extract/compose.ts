import { choose } from './choose.ts';
import { type ChosenLine, chosenLines } from './chosen.ts';
import { render } from './document/render.ts';
import type { Sections } from './document/sections.ts';
import type { Reading } from './reading.ts';

/** A summary that no model wrote. */
export interface Composed {
  readonly text: string;
  readonly tokens: number;
  readonly lines: readonly ChosenLine[];
}

/** Rounds of leaving out the last lines until the document fits. Each leaves out a little more than is too much. */
const mostRounds = 8;

/**
 * The whole document within a budget: what is known of the sections as it is, and as many chosen lines as fit. Where what
 * is known alone is too much, it comes without lines: whoever knows it bounds it.
 *
 * @example
 * const { text } = compose({ reading: readItems({ items }), context: tail, budget: 14_000, count });
 */
export function compose({
  reading,
  end = reading.items.length,
  context = [],
  known = [],
  root,
  budget,
  count,
}: {
  readonly reading: Reading;
  /** The summary is about the items before this one. */
  readonly end?: number;
  /** Texts that are sent beside the document. */
  readonly context?: readonly string[];
  /** What others know of the sections. */
  readonly known?: readonly Sections[];
  /** The folder of the project: what lies in it is named from there. */
  readonly root?: string | undefined;
  readonly budget: number;
  readonly count: (text: string) => number;
}): Composed {
  const items = reading.items.slice(0, end);
  const told = known.flatMap((sections) => Object.values(sections).flat());
  const written = (lines: readonly ChosenLine[]) => render({ items, lines, known, root });
  const room = Math.max(0, budget - count(written([])));
  let { passages } = choose({ reading, end, context: [...context, ...told], budget: room, count });
  for (let round = 0; ; round += 1) {
    const lines = chosenLines({ reading, passages });
    const text = written(lines);
    const tokens = count(text);
    if (tokens <= budget || passages.length === 0) return { text, tokens, lines };
    const fitting = round < mostRounds ? Math.floor((passages.length * budget) / tokens) - 1 : 0;
    passages = passages.slice(0, Math.max(0, fitting));
  }
}
