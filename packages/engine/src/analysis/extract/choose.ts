import { createCrowd } from './diversity-penalty.ts';
import { createHeap } from './heap.ts';
import type { Passage, Reading } from './reading.ts';

/** What was chosen, in the order of its worth. */
export interface Choice {
  readonly passages: readonly Passage[];
  /** Of the lines with their handles. */
  readonly tokens: number;
  /** For each passage, its worth by token, and what all up to it come to. */
  readonly prices: readonly { readonly worth: number; readonly tokens: number }[];
}

/** The handle and the head of a group of lines. */
const groupTokens = 10;
/** A further line, now and then with a handle of its own. */
const furtherTokens = 2;
/** The end of a line, and what a very short line lacks to be understood. */
const lineTokens = 3;
/** Longer lines say their terms in context; so cost counts a little less than it is. */
const costPower = 0.95;
const weightPower = 0.85;
/** Characters of a token, about; what is chosen is counted. */
const charsPerToken = 3.4;
/** So many lines too long for what is left of the budget, and it is used up. */
const mostMisses = 40;

/**
 * Chooses lines for what they say that nothing else in the context says. Greedy by worth for a token: as terms are taken
 * their worth falls, so a line is looked at again before it is taken, and few are more than once. Near-linear.
 *
 * @example
 * const { passages } = choose({ reading, context: [], budget: 9000, count });
 */
export function choose({
  reading,
  context,
  budget,
  count,
}: {
  readonly reading: Reading;
  /** Texts that are sent anyway: what they say gains nothing, and their lines are not said twice. */
  readonly context: readonly string[];
  readonly budget: number;
  readonly count: (text: string) => number;
}): Choice {
  const { passages: candidates, worth, weights } = reading;
  const left = new Float64Array(worth.length).fill(1);
  const seen = new Set<string>();
  for (const text of context) {
    for (const term of reading.termsOf(text)) left[term] = 0;
    for (const line of text.split('\n')) seen.add(likeness(line));
  }
  const crowd = createCrowd({ reading, budget });
  const members = Map.groupBy(candidates.keys(), (number) => candidates[number]?.place ?? 0);
  /** What one unit of new worth is by token: as the first line of its part, and as a further one. */
  const [first, further] = [groupTokens, furtherTokens].map((head) =>
    Float64Array.from(candidates, ({ from, to, weight }) => {
      return weight ** weightPower / ((to - from) / charsPerToken + lineTokens + head) ** costPower;
    }),
  );
  const heap = createHeap(Float64Array.from(candidates, (_, number) => priceOf(number)));
  const passages: Passage[] = [];
  const prices: { readonly worth: number; readonly tokens: number }[] = [];
  let tokens = 0;
  for (let misses = 0; heap.size > 0 && misses < mostMisses; ) {
    const number = heap.first;
    const passage = candidates[number];
    if (!passage) break;
    const price = priceOf(number);
    if (price < heap.second) {
      heap.lower(price);
      continue;
    }
    if (price <= 0) break;
    heap.pop();
    const text = reading.textOf(passage);
    const likeText = likeness(text);
    if (seen.has(likeText)) continue;
    const cost = reading.tokensOf({ passage, count }) + (crowd.isOpen(passage) ? furtherTokens : groupTokens);
    if (tokens + cost > budget) {
      misses += 1;
      continue;
    }
    seen.add(likeText);
    take({ passage, price, cost });
  }
  return { passages, tokens, prices };

  function priceOf(number: number): number {
    const passage = candidates[number];
    if (!passage) return 0;
    let sum = 0;
    for (const term of passage.terms) sum += (worth[term] ?? 0) * (left[term] ?? 0);
    const rate = (crowd.isOpen(passage) ? further : first)?.[number] ?? 0;
    return (sum * rate) / crowd.pressure(passage);
  }

  function take({
    passage,
    price,
    cost,
  }: {
    readonly passage: Passage;
    readonly price: number;
    readonly cost: number;
  }) {
    tokens += cost;
    passages.push(passage);
    prices.push({ worth: price, tokens });
    for (const term of passage.terms) left[term] = (left[term] ?? 0) * weights.again;
    const isFirst = !crowd.isOpen(passage);
    crowd.add({ passage, tokens: cost });
    if (!isFirst) return;
    // The head of the group is paid: its other lines are cheaper now.
    for (const number of members.get(passage.place) ?? []) heap.raise({ number, key: priceOf(number) });
  }
}

/**
 * What a passage costs, and what it is worth for a token beside nothing but what is taken already.
 *
 * @example
 * priceAlone({ reading, passage, isTaken: (term) => tail.has(term) }).price;
 */
export function priceAlone({
  reading,
  passage,
  isTaken,
}: {
  readonly reading: Reading;
  readonly passage: Passage;
  readonly isTaken: (term: number) => boolean;
}): { readonly price: number; readonly cost: number } {
  let sum = 0;
  for (const term of passage.terms) if (!isTaken(term)) sum += reading.worth[term] ?? 0;
  const cost = (passage.to - passage.from) / charsPerToken + lineTokens;
  return { price: (sum * passage.weight ** weightPower) / cost ** costPower, cost };
}

/** Lines that differ in nothing but space, marks and the numbers before them are the same line. */
function likeness(text: string): string {
  return text.replace(/^(?:\s*\d+[\t→|:-]|\S*[^\s\d:-][:-]\d+[:-](?!\d))/, '').replace(/[\s"'`,;.*_-]+/g, '');
}
