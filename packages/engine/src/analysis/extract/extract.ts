import type { SourceItem } from '../source-item.ts';
import { choose } from './choose.ts';
import { type ChosenLine, chosenLines } from './chosen.ts';
import { type Reading, readItems } from './reading.ts';
import type { Weights } from './weights.ts';

/**
 * Lines of a session worth keeping, verbatim and with their handles: what is rare and exact, in the words of people, in
 * reasons, errors, commands and definitions, and said nowhere else in the context. Bounded by the budget however long the
 * session is, and made from its entries alone: a second compaction chooses again from all of them. Deterministic.
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
  /** Texts that are sent anyway: what stays verbatim, quoted messages, rules. What they say gains nothing. */
  readonly context?: readonly string[];
  readonly budget: number;
  readonly count: (text: string) => number;
  /** What the summary shall be about, in somebody's words. */
  readonly focus?: string | undefined;
  readonly weights?: Weights | undefined;
  /** Of the items, where they were read before. */
  readonly reading?: Reading | undefined;
}): { readonly lines: readonly ChosenLine[]; readonly tokens: number } {
  const { passages, tokens } = choose({ reading, context, budget, count });
  return { lines: chosenLines({ reading, passages }), tokens };
}
