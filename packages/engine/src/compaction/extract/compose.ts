import type { Message } from '../../message/index.ts';
import type { SourceItem } from '../source.ts';
import { choose } from './choose.ts';
import { type ChosenLine, chosenLines } from './chosen.ts';
import { render } from './document/render.ts';
import type { Sections } from './document/sections.ts';
import { readItems } from './reading.ts';
import type { Weights } from './weights.ts';

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
 * is known alone is too much, it comes without lines; the caller bounds it.
 *
 * @example
 * const { text } = compose({ items, kept, known: [], budget: 14_000, count });
 */
export function compose({
  items,
  kept = [],
  known = [],
  budget,
  count,
  focus,
  weights,
}: {
  readonly items: readonly SourceItem[];
  /** What follows and is sent as it is. */
  readonly kept?: readonly Message[];
  readonly known?: readonly Sections[];
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly focus?: string | undefined;
  readonly weights?: Weights | undefined;
}): Composed {
  const reading = readItems({ items: [...items, ...kept.map((message) => ({ message }))], focus, weights });
  const context = known.flatMap((sections) => Object.values(sections).flat());
  const empty = render({ items, lines: [], known });
  const room = Math.max(0, budget - count(empty));
  let { passages } = choose({ reading, end: items.length, context, budget: room, count });
  for (let round = 0; ; round += 1) {
    const lines = chosenLines({ reading, passages });
    const text = render({ items, lines, known });
    const tokens = count(text);
    if (tokens <= budget || passages.length === 0) return { text, tokens, lines };
    const fitting = round < mostRounds ? (passages.length * budget) / tokens : 0;
    passages = passages.slice(0, Math.max(0, Math.floor(fitting) - 1));
  }
}
