import { formatHandle, partTexts } from '../../session/index.ts';
import type { SourceItem } from '../source.ts';
import { searchWords } from './words.ts';

/** A place that was found, exactly as it stands there. */
export interface Finding {
  readonly handle: number;
  /** From 1; absent where the entry has only this one. */
  readonly part?: number;
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  readonly score: number;
}

/** Lines are looked at in stretches of about this many characters. */
const stretchLength = 320;
/** A longer line is parted. */
const longestStretch = 480;
/** How much the words around a stretch count for it. */
const besides = 0.35;
/** BM25: how fast repetition stops counting, and how much length does. */
const saturation = 1.2;
const lengthShare = 0.6;

/** A stretch of a part. */
interface Stretch {
  readonly item: number;
  readonly part: number;
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly lastLine: number;
}

/**
 * Finds the places that say most about some words, best first, as many as fit the budget. Ranked by BM25 over stretches of
 * lines, with what stands just before and after counting in part; what says the same is given once.
 *
 * @example
 * const { findings } = searchItems({ items, query: 'port of the server', budget: 3000, count });
 */
export function searchItems({
  items,
  query,
  budget,
  count,
  seen = [],
}: {
  readonly items: readonly SourceItem[];
  readonly query: string;
  readonly budget: number;
  readonly count: (text: string) => number;
  /** What an earlier search gave; this one goes on behind it. */
  readonly seen?: readonly Finding[];
}): { readonly findings: readonly Finding[]; readonly tokens: number } {
  const wanted = [...new Set(searchWords(query))];
  const texts = items.map(({ message }) => partTexts(message.parts).map(({ text, isProse }) => (isProse ? text : '')));
  const stretches = texts.flatMap((parts, item) => parts.flatMap((text, part) => stretchesOf({ text, item, part })));
  const scores = scoresOf({ stretches, wanted, textOf });
  const order = stretches.map((_, index) => index).filter((index) => (scores[index] ?? 0) > 0);
  order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const given = new Set(seen.map(({ text }) => likeness(text)));
  const findings: Finding[] = [];
  let tokens = 0;
  for (const index of order) {
    const stretch = stretches[index];
    if (!stretch) continue;
    const text = textOf(stretch).trim();
    if (given.has(likeness(text))) continue;
    const finding = findingOf({ stretch, text, score: scores[index] ?? 0 });
    const cost = count(`${nameOf(finding)}\n${text}\n`);
    if (tokens + cost > budget) break;
    given.add(likeness(text));
    tokens += cost;
    findings.push(finding);
  }
  return { findings, tokens };

  function textOf({ item, part, from, to }: Stretch): string {
    return (texts[item]?.[part] ?? '').slice(from, to);
  }

  function findingOf({
    stretch,
    text,
    score,
  }: {
    readonly stretch: Stretch;
    readonly text: string;
    readonly score: number;
  }) {
    const source = items[stretch.item];
    return {
      handle: source?.handle ?? 0,
      ...((source?.message.parts.length ?? 1) > 1 && { part: stretch.part + 1 }),
      lines: { from: stretch.line, to: stretch.lastLine },
      text,
      score,
    };
  }
}

/**
 * What was found, as text: each place under its handle.
 *
 * @example
 * findingsText(findings); // '@12:3-9\nthe port is 8080'
 */
export function findingsText(findings: readonly Finding[]): string {
  return findings.map((finding) => `${nameOf(finding)}\n${finding.text}`).join('\n');
}

function nameOf({ handle, part, lines }: Finding): string {
  return formatHandle({ entry: handle, ...(part !== undefined && { part }), lines });
}

function likeness(text: string): string {
  return text.replace(/[\s\d]+/g, '');
}

function stretchesOf({ text, item, part }: { readonly text: string; readonly item: number; readonly part: number }) {
  const stretches: Stretch[] = [];
  let line = 1;
  for (let from = 0; from < text.length; ) {
    let to = from;
    let lastLine = line;
    let next = line;
    while (to < text.length && to - from < stretchLength) {
      const feed = text.indexOf('\n', to);
      const end = feed < 0 ? text.length : feed + 1;
      if (end - from > longestStretch) {
        if (to === from) to = Math.min(end, from + stretchLength);
        break;
      }
      to = end;
      lastLine = next;
      next += 1;
    }
    stretches.push({ item, part, from, to, line, lastLine });
    line = next;
    from = to;
  }
  return stretches;
}

function scoresOf({
  stretches,
  wanted,
  textOf,
}: {
  readonly stretches: readonly Stretch[];
  readonly wanted: readonly string[];
  readonly textOf: (stretch: Stretch) => string;
}): Float64Array {
  const numbers = new Map(wanted.map((word, index) => [word, index]));
  const lengths = new Float64Array(stretches.length);
  const spread = new Float64Array(wanted.length);
  const counts = stretches.map((stretch, index) => {
    const words = searchWords(textOf(stretch));
    lengths[index] = words.length;
    const found = new Map<number, number>();
    for (const word of words) {
      const number = numbers.get(word);
      if (number !== undefined) found.set(number, (found.get(number) ?? 0) + 1);
    }
    for (const number of found.keys()) spread[number] = (spread[number] ?? 0) + 1;
    return found;
  });
  const mean = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, stretches.length);
  const rarity = spread.map((times) => Math.log(1 + (stretches.length - times + 0.5) / (times + 0.5)));
  const own = Float64Array.from(counts, (found, index) => {
    const share = saturation * (1 - lengthShare + (lengthShare * (lengths[index] ?? 0)) / Math.max(1, mean));
    let score = 0;
    for (const [number, times] of found) score += ((rarity[number] ?? 0) * times * (saturation + 1)) / (times + share);
    return score;
  });
  return own.map((score, index) => {
    const around = [index - 1, index + 1].filter((near) => isNeighbour(stretches[index], stretches[near]));
    return score + besides * around.reduce((sum, near) => sum + (own[near] ?? 0), 0);
  });
}

function isNeighbour(a: Stretch | undefined, b: Stretch | undefined): boolean {
  return a !== undefined && b !== undefined && a.item === b.item && a.part === b.part;
}
