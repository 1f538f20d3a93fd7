import { formatHandle, partTexts } from '../../session/index.ts';
import { segmentsOf } from '../extract/segments.ts';
import type { SourceItem } from '../source-item.ts';

/** A place that was found, exactly as it stands there. */
export interface Finding {
  readonly handle: number;
  /** From 1; absent where the entry has only this one. */
  readonly part?: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  /** The higher, the better it fits. */
  readonly score: number;
}

/** A search that goes through a session piece by piece, so that a long one holds nobody up. */
export interface Search {
  /** Looks through some items. */
  add(items: readonly SourceItem[]): void;
  /** The places that say most, best first, as many as fit the budget. */
  best(input: {
    readonly budget: number;
    readonly count: (text: string) => number;
    /** What an earlier search gave; this one goes on behind it. */
    readonly seen?: readonly Finding[] | undefined;
  }): { readonly findings: readonly Finding[]; readonly tokens: number };
}

/** How much the words around a stretch count for it. */
const besides = 0.35;
/** BM25: how fast repetition stops counting, and how much length does. */
const saturation = 1.2;
const lengthShare = 0.6;

interface Place extends Stretch {
  readonly item: SourceItem;
  readonly part: number;
  readonly text: string;
  /** How often each of the words is there, by their numbers. */
  readonly times: ReadonlyMap<number, number>;
}

const none: ReadonlyMap<number, number> = new Map();

/** Whatever holds one of the words fits it; what fits it may hold none. */
function roughly(words: readonly string[]): RegExp | undefined {
  const beginnings = words.map(beginningOf).filter((text) => text !== '');
  return beginnings.length > 0 ? new RegExp(beginnings.join('|'), 'iu') : undefined;
}

/**
 * Begins a search for some words. Ranked by BM25 over stretches of lines, with what stands just before and after counting
 * in part; what says the same is given once.
 *
 * @example
 * const search = createSearch('port of the server');
 * search.add(items);
 * const { findings } = search.best({ budget: 3000, count });
 */
export function createSearch(query: string): Search {
  const wanted = [...new Set(searchWords(query))];
  const numbers = new Map(wanted.map((word, number) => [word, number]));
  const mayHave = roughly(wanted);
  const spread = new Float64Array(wanted.length);
  const places: Place[] = [];
  let length = 0;
  return { add, best };

  function add(items: readonly SourceItem[]): void {
    for (const item of items) {
      for (const { part, text, isProse } of partTexts(item.message.parts)) {
        if (isProse) for (const stretch of stretchesOf(text)) take({ ...stretch, item, part, text });
      }
    }
  }

  function take(place: Omit<Place, 'times'>): void {
    const times = timesIn(place.text.slice(place.from, place.to));
    for (const number of times.keys()) spread[number] = (spread[number] ?? 0) + 1;
    length += place.to - place.from;
    places.push({ ...place, times });
  }

  /** Most stretches have none of the words, and a look tells. */
  function timesIn(text: string): ReadonlyMap<number, number> {
    if (!mayHave?.test(text)) return none;
    const times = new Map<number, number>();
    for (const word of searchWords(text)) {
      const number = numbers.get(word);
      if (number !== undefined) times.set(number, (times.get(number) ?? 0) + 1);
    }
    return times;
  }

  function best({ budget, count, seen = [] }: Parameters<Search['best']>[0]): ReturnType<Search['best']> {
    const scores = scoresOf();
    const order = [...places.keys()].filter((index) => (scores[index] ?? 0) > 0);
    order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
    const given = new Set(seen.map(({ text }) => likeness(text)));
    const findings: Finding[] = [];
    let tokens = 0;
    for (const index of order) {
      const place = places[index];
      if (!place) continue;
      const finding = findingOf({ place, score: scores[index] ?? 0 });
      if (given.has(likeness(finding.text))) continue;
      const cost = count(`${findingsText([finding])}\n`);
      if (tokens + cost > budget) break;
      given.add(likeness(finding.text));
      tokens += cost;
      findings.push(finding);
    }
    return { findings, tokens };
  }

  function scoresOf(): Float64Array {
    const mean = Math.max(1, length / Math.max(1, places.length));
    const rarity = spread.map((times) => Math.log(1 + (places.length - times + 0.5) / (times + 0.5)));
    const own = Float64Array.from(places, (place) => {
      const share = saturation * (1 - lengthShare + (lengthShare * (place.to - place.from)) / mean);
      let score = 0;
      for (const [number, times] of place.times) {
        score += ((rarity[number] ?? 0) * times * (saturation + 1)) / (times + share);
      }
      return score;
    });
    return own.map((score, index) => {
      const around = [index - 1, index + 1].filter((near) => isNeighbor(places[index], places[near]));
      return score + besides * around.reduce((sum, near) => sum + (own[near] ?? 0), 0);
    });
  }
}

/**
 * Finds the places in a session that say most about some words.
 *
 * @example
 * const { findings } = searchItems({ items, query: 'port of the server', budget: 3000, count });
 */
export function searchItems({
  items,
  query,
  ...limits
}: { readonly items: readonly SourceItem[]; readonly query: string } & Parameters<Search['best']>[0]): ReturnType<
  Search['best']
> {
  const search = createSearch(query);
  search.add(items);
  return search.best(limits);
}

/**
 * What was found, as text: each place under its handle.
 *
 * @example
 * findingsText(findings); // '@12:3-9\nthe port is 8080'
 */
export function findingsText(findings: readonly Finding[]): string {
  return findings
    .map(({ handle, part, lines, text }) => {
      return `${formatHandle({ entry: handle, ...(part !== undefined && { part }), lines })}\n${text}`;
    })
    .join('\n');
}

function findingOf({ place, score }: { readonly place: Place; readonly score: number }): Finding {
  const { item, part, lines, text, from, to } = place;
  return {
    handle: item.handle,
    ...(item.message.parts.length > 1 && { part }),
    lines,
    text: text.slice(from, to).trim(),
    score,
  };
}

function isNeighbor(a: Place | undefined, b: Place | undefined): boolean {
  return a !== undefined && b !== undefined && a.item === b.item && a.part === b.part;
}

/** Copies of a listing differ in the numbers of its lines. */
function likeness(text: string): string {
  return text.replace(/[\s\d]+/g, '');
}

/** A few lines of a text, or a piece of a long one. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
}

/** Lines are looked at in stretches of about this many characters. */
const usual = 320;
/** What would make a stretch longer than this begins the next. */
const longest = 480;

/** The stretches of a text, from its beginning to its end. */
function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;
  segmentsOf({
    text,
    visit: ({ line, from, to }) => {
      if (open && (open.to - open.from >= usual || to - open.from > longest)) {
        stretches.push(open);
        open = undefined;
      }
      open = { from: open?.from ?? from, to, lines: { from: open?.lines.from ?? line, to: line } };
    },
  });
  if (open) stretches.push(open);
  return stretches;
}

/** Words that every question has. */
const functionWords = new Set(
  `a about after again all also an and any are as at be because been before being between both but by can could did do
  does doing done for from had has have having he her here his how i if in into is it its just like me more most much my
  no not of off on once one only or other our out over own same she should so some such than that the their them then
  there these they this those through to too under until up upon use used very was we were what when where which while
  who whom whose why will with within without would you your`.split(/\s+/),
);

const word = /\p{L}+|\p{N}+/gu;
/** `getUserName`, `HTTPServer` and `v2` are several words. */
const inner = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{L}+/gu;
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * The words of a text as they are looked for: names in their pieces, endings taken off, in lower case.
 *
 * @example
 * searchWords('readConfigFiles()'); // ['readconfigfile', 'read', 'config', 'file']
 */
export function searchWords(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.matchAll(word)) {
    if (unspaced.test(run)) {
      words.push(...run);
      continue;
    }
    const pieces = run.match(inner) ?? [run];
    if (pieces.length > 1) words.push(stem(run.toLowerCase()));
    for (const piece of pieces) {
      const lower = piece.toLowerCase();
      if (!functionWords.has(lower)) words.push(stem(lower));
    }
  }
  return words;
}

/** What every word begins with that is looked for as this one; words are letters or digits only. */
export function beginningOf(word: string): string {
  // `queries` is looked for as `query`.
  return word.endsWith('y') ? word.slice(0, -1) : word;
}

/** Takes off what English adds to a word, roughly and always the same. */
function stem(word: string): string {
  if (word.length < 5) return word.length === 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
  const base = word.replace(/(?:ies|ied)$/, 'y').replace(/(?:ingly|edly|ings?|ers?|ors?|ed|es|ly|s)$/, '');
  const kept = base.length >= 3 ? base : word;
  return kept.replace(/([^aeiouls])\1$/, '$1').replace(/e$/, '');
}
