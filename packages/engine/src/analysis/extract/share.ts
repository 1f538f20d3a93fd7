import { partTexts } from '../../session/index.ts';
import { cutsOf } from '../cuts.ts';
import { type Choice, choose, priceAlone } from './choose.ts';
import type { Passage, SessionReading } from './reading.ts';

/** How a budget is divided, in tokens. */
export interface BudgetShares {
  /** For human messages, quoted in full. */
  readonly human: number;
  /** For selected lines. */
  readonly lines: number;
  /** For the verbatim tail; a larger last round must be reduced to it. */
  readonly tail: number;
  /** The first item of the tail; the number of items if there is none. */
  readonly cut: number;
}

/** Maximum share of human messages: worth most, but one pasted log must not displace the rest. */
const maxHuman = 0.25;
/** Minimum share of the tail. */
const minTail = 0.1;
/** Share of a last round that is too large. */
const reducedTail = 0.2;
const maxTailShare = 0.4;
const maxTail = 20_000;

/**
 * Per token, the arguments of the next call come from the newest 2,500 tokens eight times as often as on average, and from
 * the newest 10,000 four times (measured on 20 recorded sessions, 5 cuts each). Not applied to selected lines, which are for
 * older content.
 */
const newest = { factor: 4, halfAt: 5000 } as const;

/**
 * Divides a budget between human messages, selected lines and the verbatim tail by worth. The tail grows round by round
 * while a round is worth more than the lines that would fit in its place; each further line is worth less.
 *
 * @example
 * const { tail, lines } = share({ reading, budget: 23_000, count });
 */
export function share({
  reading,
  budget,
  count,
}: {
  readonly reading: SessionReading;
  /** Without fixed parts: rules, the narrative. */
  readonly budget: number;
  readonly count: (text: string) => number;
}): BudgetShares {
  const { items } = reading;
  const whole = tokensUpTo({ items, count, limit: budget });
  if (whole <= budget) return { human: 0, lines: 0, tail: whole, cut: 0 };
  const human = Math.min(Math.floor(budget * maxHuman), humanTokens({ reading, count }));
  const free = Math.max(0, budget - human);
  const most = Math.min(maxTail, Math.floor(budget * maxTailShare));
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
      const isMissing = tail < budget * minTail;
      if (isMissing) best = { ...best, cut: start, tail: Math.min(most, tail + Math.floor(budget * reducedTail)) };
      break;
    }
    const from = firstOf({ passages: reading.passages, item: start, before: end });
    const worth = roundWorth({ reading, passages: reading.passages.slice(from, end), taken });
    const nearness = newest.factor / (1 + (tail + tokens / 2) / newest.halfAt);
    tail += tokens;
    gain += worth * nearness - priceAt({ prices, tokens: free - tail }) * tokens;
    if (gain > best.gain || tail <= budget * minTail) best = { cut: start, tail, gain: Math.max(gain, best.gain) };
    stop = start;
    end = from;
  }
  return { human, lines: Math.max(0, free - best.tail), tail: best.tail, cut: best.cut };
}

/** The worth of a round, without terms that occur after it. */
function roundWorth({
  reading,
  passages,
  taken,
}: {
  readonly reading: SessionReading;
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

/** The worth per token of the last line within this many tokens. */
function priceAt({ prices, tokens }: { readonly prices: Choice['prices']; readonly tokens: number }): number {
  // Zero if there is more room than lines worth selecting.
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

function humanTokens({
  reading,
  count,
}: {
  readonly reading: SessionReading;
  readonly count: (text: string) => number;
}) {
  return reading.items.reduce((sum, { message }) => {
    const texts = partTexts(message.parts.filter(({ origin, type }) => origin === 'human' && type === 'text'));
    return sum + texts.reduce((tokens, { text }) => tokens + count(text), 0);
  }, 0);
}

/** The tokens of all items; stops counting above the limit. */
function tokensUpTo(of: {
  readonly items: SessionReading['items'];
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

function itemTokens(of: {
  readonly item: SessionReading['items'][number];
  readonly count: (text: string) => number;
}): number {
  return partTexts(of.item.message.parts).reduce((sum, { text, isProse }) => sum + (isProse ? of.count(text) : 0), 0);
}
