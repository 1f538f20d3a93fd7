import { createMaxHeap } from './heap.ts';
import type { Passage, SessionReading } from './reading.ts';

/** The selected passages, by worth. */
export interface Choice {
  readonly passages: readonly Passage[];
  /** The tokens of the lines with their handles. */
  readonly tokens: number;
  /** For each passage, its worth per token and the cumulative tokens. */
  readonly prices: readonly { readonly worth: number; readonly tokens: number }[];
}

/** Tokens of the handle and the head of a group of lines. */
const groupTokens = 10;
/** Tokens of a further line, which sometimes has its own handle. */
const furtherTokens = 2;
/** Fixed cost of a line; makes very short lines, which lack context, less attractive. */
const lineTokens = 3;
/** Cost counts slightly less than linearly, because longer lines show their terms in context. */
const costPower = 0.95;
const weightPower = 0.85;
/** Estimated characters per token; selected lines are counted exactly. */
const charsPerToken = 3.4;
/** After this many lines that do not fit, the budget counts as used up. */
const maxMisses = 40;

/**
 * Selects lines for terms that are nowhere else in the context. Greedy by worth per token with lazy reevaluation: selected
 * terms lose worth, so a line is reevaluated before it is selected, few more than once. Near-linear.
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
  readonly reading: SessionReading;
  /** Texts that are sent anyway: their terms add no worth, and their lines are not repeated. */
  readonly context: readonly string[];
  readonly budget: number;
  readonly count: (text: string) => number;
}): Choice {
  const { passages: candidates, worth, weights } = reading;
  const left = new Float64Array(worth.length).fill(1);
  const seen = new Set<string>();
  for (const text of context) {
    for (const term of reading.termsOf(text)) left[term] = 0;
    for (const line of text.split('\n')) seen.add(duplicateKey(line));
  }
  const penalty = createDiversityPenalty({ reading, budget });
  const members = Map.groupBy(candidates.keys(), (number) => candidates[number]?.place ?? 0);
  /** Factor from worth to price per token: as the first line of its part, and as a further one. */
  const [first, further] = [groupTokens, furtherTokens].map((head) =>
    Float64Array.from(candidates, ({ from, to, weight }) => {
      return weight ** weightPower / ((to - from) / charsPerToken + lineTokens + head) ** costPower;
    }),
  );
  const heap = createMaxHeap(Float64Array.from(candidates, (_, number) => priceOf(number)));
  const passages: Passage[] = [];
  const prices: { readonly worth: number; readonly tokens: number }[] = [];
  let tokens = 0;
  for (let misses = 0; heap.size > 0 && misses < maxMisses; ) {
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
    const key = duplicateKey(text);
    if (seen.has(key)) continue;
    const cost = reading.tokensOf({ passage, count }) + (penalty.isOpen(passage) ? furtherTokens : groupTokens);
    if (tokens + cost > budget) {
      misses += 1;
      continue;
    }
    seen.add(key);
    take({ passage, price, cost });
  }
  return { passages, tokens, prices };

  function priceOf(number: number): number {
    const passage = candidates[number];
    if (!passage) return 0;
    let sum = 0;
    for (const term of passage.terms) sum += (worth[term] ?? 0) * (left[term] ?? 0);
    const rate = (penalty.isOpen(passage) ? further : first)?.[number] ?? 0;
    return (sum * rate) / penalty.pressure(passage);
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
    const isFirst = !penalty.isOpen(passage);
    penalty.add({ passage, tokens: cost });
    if (!isFirst) return;
    // The head of the group is paid for, so its other lines are cheaper now.
    for (const number of members.get(passage.place) ?? []) heap.raise({ number, key: priceOf(number) });
  }
}

/**
 * The cost of a passage and its price per token, given only the terms already taken.
 *
 * @example
 * priceAlone({ reading, passage, isTaken: (term) => tail.has(term) }).price;
 */
export function priceAlone({
  reading,
  passage,
  isTaken,
}: {
  readonly reading: SessionReading;
  readonly passage: Passage;
  readonly isTaken: (term: number) => boolean;
}): { readonly price: number; readonly cost: number } {
  let sum = 0;
  for (const term of passage.terms) if (!isTaken(term)) sum += reading.worth[term] ?? 0;
  const cost = (passage.to - passage.from) / charsPerToken + lineTokens;
  return { price: (sum * passage.weight ** weightPower) / cost ** costPower, cost };
}

/** A key that ignores whitespace, punctuation and line numbers. */
function duplicateKey(text: string): string {
  return text.replace(/^(?:\s*\d+[\t→|:-]|\S*[^\s\d:-][:-]\d+[:-](?!\d))/, '').replace(/[\s"'`,;.*_-]+/g, '');
}

/** Tokens selected per group, for diversity. */
interface DiversityPenalty {
  /** The factor that divides the price of a line, by what is selected from its groups. */
  pressure(passage: Passage): number;
  /** Whether a line of its part was selected. */
  isOpen(passage: Passage): boolean;
  add(line: { readonly passage: Passage; readonly tokens: number }): void;
}

/** Selected tokens at which a part counts half. */
const partShare = 250;
/** Selected lines at which a table, log or list counts half: a few lines show the rest. */
const seriesShare = 4;
/** Number of stretches of the session; each gets a fair share, so that early facts survive. */
const stretches = 12;

function createDiversityPenalty({
  reading,
  budget,
}: {
  readonly reading: SessionReading;
  readonly budget: number;
}): DiversityPenalty {
  const length = (reading.passages.at(-1)?.start ?? 0) + 1;
  const fairShare = Math.max(1, budget / stretches);
  const stretchTokens = new Float64Array(stretches);
  const partTokens = new Float64Array(reading.places);
  const seriesLines = new Float64Array(reading.series);
  return {
    pressure(passage) {
      const stretch = Math.sqrt(1 + at(stretchTokens, stretchOf(passage)) / fairShare);
      const part = 1 + at(partTokens, passage.place) / partShare;
      const series = 1 + at(seriesLines, passage.series) / seriesShare;
      return inSteps({ pressure: stretch, step: smallStep }) * inSteps({ pressure: part * series, step: largeStep });
    },
    isOpen: ({ place }) => at(partTokens, place) > 0,
    add({ passage, tokens }) {
      stretchTokens[stretchOf(passage)] = at(stretchTokens, stretchOf(passage)) + tokens;
      partTokens[passage.place] = at(partTokens, passage.place) + tokens;
      seriesLines[passage.series] = at(seriesLines, passage.series) + 1;
    },
  };

  function stretchOf({ start }: Passage): number {
    return Math.min(stretches - 1, Math.floor((start / length) * stretches));
  }
}

/** Rounds the penalty down to steps, so that not every selected line changes the price of all lines of its part. */
function inSteps({ pressure, step }: { readonly pressure: number; readonly step: number }): number {
  return step ** Math.floor(Math.log(pressure) / Math.log(step));
}
const smallStep = 1.05;
const largeStep = 1.5;

function at(values: Float64Array, index: number): number {
  return values[index] ?? 0;
}
