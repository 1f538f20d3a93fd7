import type { Message } from '../../message/index.ts';
import { partTexts } from '../../session/index.ts';
import type { SourceItem } from '../source-item.ts';
import { choose } from './choose.ts';
import { type ChosenLine, chosenLines } from './chosen.ts';
import { render } from './document/render.ts';
import type { Sections } from './document/sections.ts';
import { readItems, type SessionReading } from './reading.ts';
import type { Weights } from './weights.ts';

/** A summary document. */
export interface Composed {
  readonly text: string;
  readonly tokens: number;
  readonly lines: readonly ChosenLine[];
}

/** The cost of handles is estimated, so slightly too much is selected and the excess removed. */
const overselection = 1.12;
/** Share of the excess to remove as lines; removing a line may remove its handle as well. */
const removedShare = 0.8;

/**
 * The document within a budget: the known sections unchanged, and as many selected lines as fit. If the known sections
 * alone exceed the budget, there are no lines; the caller bounds them.
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
  /** The reading of the items, if available. */
  readonly reading?: SessionReading | undefined;
  /** Messages that are sent verbatim after the summary, which need not be repeated. */
  readonly kept?: readonly Message[];
  /** Known facts by section. */
  readonly known?: readonly Sections[];
  /** The project directory; paths inside it are shown relative. */
  readonly root?: string | undefined;
  readonly budget: number;
  readonly count: (text: string) => number;
  readonly focus?: string | undefined;
  readonly weights?: Weights | undefined;
}): Composed {
  const context = [...kept.flatMap(textsOf), ...known.flatMap((sections) => Object.values(sections).flat())];
  const written = (lines: readonly ChosenLine[]) => render({ items, lines, known, root });
  const room = Math.max(0, budget - count(written([])));
  let { lines } = extract({ items, context, budget: room * overselection, count, focus, weights, reading });
  for (;;) {
    const text = written(lines);
    const tokens = count(text);
    if (tokens <= budget || lines.length === 0) return { text, tokens, lines };
    lines = without({ lines, excess: tokens - budget, count });
  }
}

/** Removes the lines selected last, about `excess` tokens. */
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
  for (let tokens = 0; tokens < excess * removedShare && left.length > 0; ) tokens += count(left.pop()?.text ?? '') + 1;
  const last = left.at(-1)?.rank ?? -1;
  return lines.filter(({ rank }) => rank <= last);
}

function textsOf({ parts }: Message): string[] {
  return partTexts(parts).flatMap(({ text, isProse }) => (isProse ? text : []));
}

/**
 * The lines of a session worth keeping, verbatim with handles: rare and exact terms in human messages, reasons, errors,
 * commands and definitions that are nowhere else in the context. Bounded by the budget and derived from the entries alone,
 * so a second compaction selects again from all of them. Deterministic.
 *
 * @example
 * const { lines, tokens } = extract({ items, budget: 9000, count: tokenizer.count });
 */
export function extract({
  items,
  context = [],
  budget,
  count,
  focus,
  weights,
  reading = readItems({ items, focus, weights }),
}: {
  readonly items: readonly SourceItem[];
  /** Texts that are sent anyway: kept messages, quotes, rules. Their terms add no worth. */
  readonly context?: readonly string[];
  readonly budget: number;
  readonly count: (text: string) => number;
  /** What the summary should focus on. */
  readonly focus?: string | undefined;
  readonly weights?: Weights | undefined;
  /** The reading of the items, if available. */
  readonly reading?: SessionReading | undefined;
}): { readonly lines: readonly ChosenLine[]; readonly tokens: number } {
  const { passages, tokens } = choose({ reading, context, budget, count });
  return { lines: chosenLines({ reading, passages }), tokens };
}
