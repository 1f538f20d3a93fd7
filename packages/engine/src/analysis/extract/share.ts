import { partTexts } from '../../session/index.ts';
import { cutsOf } from '../cuts.ts';
import { type Choice, choose, priceAlone } from './choose.ts';
import type { Passage, Reading } from './reading.ts';

/** How a budget is divided, in tokens. */
export interface Shares {
  /** For messages of people, quoted in full. */
  readonly human: number;
  /** For chosen lines. */
  readonly lines: number;
  /** For what stays verbatim at the end; a round that alone is larger has to be cut down to it. */
  readonly tail: number;
  /** The first item of what stays verbatim; the number of items where nothing does. */
  readonly cut: number;
}

/** People's words are worth more than anything else, but one pasted log must not displace all the rest. */
const mostHuman = 0.25;
/** So much stays verbatim whatever it is worth. */
const leastTail = 0.1;
/** A last round that is too large stays cut down to this. */
const reducedTail = 0.2;
const mostTail = 0.4;
const longestTail = 20_000;

/**
 * What the next call is given was last said in the newest 2,500 tokens eight times as often, token for token, as on
 * average; in the newest 10,000 four times (measured on 20 recorded sessions, 5 cuts each). Lines are weighed without it:
 * they are there for what is old.
 */
const newest = { factor: 4, halfAt: 5000 } as const;

/**
 * Divides a budget between people's words, chosen lines and the verbatim end by what each is worth. The end grows round by
 * round as long as a round is worth more than the lines that its tokens would buy; the longer the list of lines is
 * already, the less the next one is worth.
 *
 * @example
 * const { tail, lines } = share({ reading, budget: 23_000, count });
 */
export function share({
  reading,
  budget,
  count,
}: {
  readonly reading: Reading;
  /** Without what is fixed: rules, the narrative. */
  readonly budget: number;
  readonly count: (text: string) => number;
}): Shares {
  const { items } = reading;
  const whole = tokensUpTo({ items, count, limit: budget });
  if (whole <= budget) return { human: 0, lines: 0, tail: whole, cut: 0 };
  const human = Math.min(Math.floor(budget * mostHuman), humanTokens({ reading, count }));
  const free = Math.max(0, budget - human);
  const most = Math.min(longestTail, Math.floor(budget * mostTail));
  const { prices } = choose({ reading, context: [], budget: free, count });
  const cuts = cutsOf(items.map(({ message }) => message));
  const taken = new Set<number>();
  let best = { cut: items.length, tail: 0, gain: 0 };
  let tail = 0;
  let gain = 0;
  let end = reading.passages.length;
  for (let start = items.length - 1, stop = items.length; start >= 0; start -= 1) {
    if (cuts[start] === 'none') continue;
    const tokens = items.slice(start, stop).reduce((sum, item) => sum + itemTokens({ item, count }), 0);
    if (tail + tokens > most) {
      const isMissing = tail < budget * leastTail;
      if (isMissing) best = { ...best, cut: start, tail: Math.min(most, tail + Math.floor(budget * reducedTail)) };
      break;
    }
    const from = firstOf({ passages: reading.passages, item: start, before: end });
    const worth = roundWorth({ reading, passages: reading.passages.slice(from, end), taken });
    const nearness = newest.factor / (1 + (tail + tokens / 2) / newest.halfAt);
    tail += tokens;
    gain += worth * nearness - priceAt({ prices, tokens: free - tail }) * tokens;
    if (gain > best.gain || tail <= budget * leastTail) best = { cut: start, tail, gain: Math.max(gain, best.gain) };
    stop = start;
    end = from;
  }
  return { human, lines: Math.max(0, free - best.tail), tail: best.tail, cut: best.cut };
}

/** What a round says that is not said after it, in the measure of the chooser. */
function roundWorth({
  reading,
  passages,
  taken,
}: {
  readonly reading: Reading;
  readonly passages: readonly Passage[];
  readonly taken: Set<number>;
}): number {
  let worth = 0;
  for (const passage of passages) {
    const { price, cost } = priceAlone({ reading, passage, isTaken: (term) => taken.has(term) });
    worth += price * cost;
    for (const term of passage.terms) taken.add(term);
  }
  return worth;
}

/** What the last line is worth, by token, when lines come to so many tokens in all. */
function priceAt({ prices, tokens }: { readonly prices: Choice['prices']; readonly tokens: number }): number {
  // More room than there are lines worth choosing: nothing.
  return prices.find((price) => price.tokens > tokens)?.worth ?? 0;
}

function firstOf(of: {
  readonly passages: readonly Passage[];
  readonly item: number;
  readonly before: number;
}): number {
  let index = of.before;
  while (index > 0 && (of.passages[index - 1]?.item ?? -1) >= of.item) index -= 1;
  return index;
}

function humanTokens({ reading, count }: { readonly reading: Reading; readonly count: (text: string) => number }) {
  return reading.items.reduce((sum, { message }) => {
    const texts = partTexts(message.parts.filter(({ origin, type }) => origin === 'human' && type === 'text'));
    return sum + texts.reduce((tokens, { text }) => tokens + count(text), 0);
  }, 0);
}

/** Of all items; or, where that is more than the limit, something above it. */
function tokensUpTo(of: {
  readonly items: Reading['items'];
  readonly count: (text: string) => number;
  readonly limit: number;
}): number {
  let sum = 0;
  for (const item of of.items) {
    sum += itemTokens({ item, count: of.count });
    if (sum > of.limit) break;
  }
  return sum;
}

function itemTokens(of: { readonly item: Reading['items'][number]; readonly count: (text: string) => number }): number {
  return partTexts(of.item.message.parts).reduce((sum, { text, isProse }) => sum + (isProse ? of.count(text) : 0), 0);
}
