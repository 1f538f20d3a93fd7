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
/** The end of a line, and what a very short line lacks to be understood. */
const lineTokens = 3;
/** Longer lines say their terms in context; so cost counts a little less than it is. */
const costPower = 0.85;
const weightPower = 0.7;
/** A part that has given so many tokens counts half, so that none takes everything. */
const partShare = 250;
/** After so many lines of a table, log or list the next counts half: a few show what the rest is like. */
const seriesShare = 4;
/** The session in so many stretches; one that has its fair share counts less, so that early facts survive. */
const stretches = 12;
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
  const last = candidates.at(-1);
  const length = last ? last.start + 1 : 1;
  const stretchTokens = new Float64Array(stretches);
  const fairShare = Math.max(1, budget / stretches);
  const partTokens = new Map<number, number>();
  const seriesLines = new Map<number, number>();
  const members = membersOf(candidates);
  const heap = createHeap(Float64Array.from(candidates, priceOf));
  const passages: Passage[] = [];
  const prices: { readonly worth: number; readonly tokens: number }[] = [];
  let tokens = 0;
  for (let misses = 0; heap.size > 0 && misses < mostMisses; ) {
    const number = heap.first;
    const passage = candidates[number];
    if (!passage) break;
    const price = priceOf(passage);
    if (price < heap.second) {
      heap.lower(price);
      continue;
    }
    if (price <= 0) break;
    heap.pop();
    const text = reading.textOf(passage);
    const likeText = likeness(text);
    if (seen.has(likeText)) continue;
    const cost = reading.tokensOf({ passage, count }) + lineCost(passage);
    if (tokens + cost > budget) {
      misses += 1;
      continue;
    }
    seen.add(likeText);
    take({ passage, price, cost });
  }
  return { passages, tokens, prices };

  function priceOf(passage: Passage): number {
    let sum = 0;
    for (const term of passage.terms) sum += (worth[term] ?? 0) * (left[term] ?? 0);
    const crowd =
      Math.sqrt(1 + (stretchTokens[stretchOf(passage)] ?? 0) / fairShare) *
      (1 + (partTokens.get(keyOf(passage)) ?? 0) / partShare) *
      (1 + (seriesLines.get(passage.series) ?? 0) / seriesShare);
    const cost = (passage.to - passage.from) / charsPerToken + lineTokens + lineCost(passage);
    return (sum * passage.weight ** weightPower) / (crowd * cost ** costPower);
  }

  function lineCost(passage: Passage): number {
    return partTokens.has(keyOf(passage)) ? 2 : groupTokens;
  }

  function stretchOf({ start }: Passage): number {
    return Math.min(stretches - 1, Math.floor((start / length) * stretches));
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
    const stretch = stretchOf(passage);
    stretchTokens[stretch] = (stretchTokens[stretch] ?? 0) + cost;
    const key = keyOf(passage);
    seriesLines.set(passage.series, (seriesLines.get(passage.series) ?? 0) + 1);
    const isFirst = !partTokens.has(key);
    partTokens.set(key, (partTokens.get(key) ?? 0) + cost);
    // The head of the group is paid: its other lines are cheaper now.
    if (isFirst) {
      for (const number of members.get(key) ?? []) {
        const member = candidates[number];
        if (member) heap.raise({ number, key: priceOf(member) });
      }
    }
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

/** More parts than this a message does not have. */
const mostParts = 2 ** 16;

function keyOf({ item, part }: Passage): number {
  return item * mostParts + part;
}

function membersOf(passages: readonly Passage[]): Map<number, number[]> {
  const members = new Map<number, number[]>();
  for (const [number, passage] of passages.entries()) {
    const key = keyOf(passage);
    const known = members.get(key);
    if (known) known.push(number);
    else members.set(key, [number]);
  }
  return members;
}

/** Lines that differ in nothing but space, marks and the numbers before them are the same line. */
function likeness(text: string): string {
  return text.replace(/^\s*\d+[\t→|:-]/, '').replace(/[\s"'`,;.*_-]+/g, '');
}
