import { formatHandle, partTexts } from '../../session/index.ts';
import { segmentsOf } from '../extract/segments.ts';
import type { SourceItem } from '../source-item.ts';

/** A search result, quoted verbatim. */
export interface SearchFinding {
  readonly handle: number;
  /** From 1; absent if the entry has only one. */
  readonly part?: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
  readonly text: string;
  /** Higher is more relevant. */
  readonly score: number;
}

/** An incremental search, so that a long session does not block the event loop. */
export interface Search {
  /** Indexes items. */
  add(items: readonly SourceItem[]): void;
  /** The most relevant results within the budget, best first. */
  best(input: {
    readonly budget: number;
    readonly count: (text: string) => number;
    /** Results of an earlier search to leave out. */
    readonly seen?: readonly SearchFinding[] | undefined;
  }): { readonly findings: readonly SearchFinding[]; readonly tokens: number };
}

/** Weight of the neighboring stretches. */
const neighborWeight = 0.35;
/** BM25 parameters k1 and b. */
const saturation = 1.2;
const lengthShare = 0.6;

interface IndexedStretch extends Stretch {
  readonly item: SourceItem;
  readonly part: number;
  readonly text: string;
  /** Occurrences by word number. */
  readonly times: ReadonlyMap<number, number>;
}

const none: ReadonlyMap<number, number> = new Map();

/** A cheap prefilter: matches every text with one of the words, and some others. */
function prefilter(words: readonly string[]): RegExp | undefined {
  const beginnings = words.map(beginningOf).filter((text) => text !== '');
  return beginnings.length > 0 ? new RegExp(beginnings.join('|'), 'iu') : undefined;
}

/**
 * Starts a search. Results are ranked by BM25 over stretches of lines, with neighboring stretches counted in part;
 * duplicates are returned once.
 *
 * @example
 * const search = createSearch('port of the server');
 * search.add(items);
 * const { findings } = search.best({ budget: 3000, count });
 */
export function createSearch(query: string): Search {
  const wanted = [...new Set(searchWords(query))];
  const numbers = new Map(wanted.map((word, number) => [word, number]));
  const mayHave = prefilter(wanted);
  const spread = new Float64Array(wanted.length);
  const places: IndexedStretch[] = [];
  let length = 0;
  return { add, best };

  function add(items: readonly SourceItem[]): void {
    for (const item of items) {
      for (const { part, text, isProse } of partTexts(item.message.parts)) {
        if (isProse) for (const stretch of stretchesOf(text)) take({ ...stretch, item, part, text });
      }
    }
  }

  function take(place: Omit<IndexedStretch, 'times'>): void {
    const times = timesIn(place.text.slice(place.from, place.to));
    for (const number of times.keys()) spread[number] = (spread[number] ?? 0) + 1;
    length += place.to - place.from;
    places.push({ ...place, times });
  }

  /** Most stretches contain none of the words, which the prefilter detects. */
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
    const given = new Set(seen.map(({ text }) => duplicateKey(text)));
    const findings: SearchFinding[] = [];
    let tokens = 0;
    for (const index of order) {
      const place = places[index];
      if (!place) continue;
      const finding = findingOf({ place, score: scores[index] ?? 0 });
      if (given.has(duplicateKey(finding.text))) continue;
      const cost = count(`${findingsText([finding])}\n`);
      if (tokens + cost > budget) break;
      given.add(duplicateKey(finding.text));
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
      return score + neighborWeight * around.reduce((sum, near) => sum + (own[near] ?? 0), 0);
    });
  }
}

/**
 * Finds the most relevant places in a session.
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
 * Search results as text, each under its handle.
 *
 * @example
 * findingsText(findings); // '@12:3-9\nthe port is 8080'
 */
export function findingsText(findings: readonly SearchFinding[]): string {
  return findings
    .map(({ handle, part, lines, text }) => {
      return `${formatHandle({ entry: handle, ...(part !== undefined && { part }), lines })}\n${text}`;
    })
    .join('\n');
}

function findingOf({ place, score }: { readonly place: IndexedStretch; readonly score: number }): SearchFinding {
  const { item, part, lines, text, from, to } = place;
  return {
    handle: item.handle,
    ...(item.message.parts.length > 1 && { part }),
    lines,
    text: text.slice(from, to).trim(),
    score,
  };
}

function isNeighbor(a: IndexedStretch | undefined, b: IndexedStretch | undefined): boolean {
  return a !== undefined && b !== undefined && a.item === b.item && a.part === b.part;
}

/** A key that ignores line numbers and whitespace, to detect copies of a listing. */
function duplicateKey(text: string): string {
  return text.replace(/[\s\d]+/g, '');
}

/** A few lines of a text, or part of a long line. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  /** From 1, both included. */
  readonly lines: { readonly from: number; readonly to: number };
}

/** Target length of a stretch in characters. */
const targetLength = 320;
/** Maximum length of a stretch. */
const maxLength = 480;

/** Splits a text into stretches. */
function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch | undefined;
  segmentsOf({
    text,
    visit: ({ line, from, to }) => {
      if (open && (open.to - open.from >= targetLength || to - open.from > maxLength)) {
        stretches.push(open);
        open = undefined;
      }
      open = { from: open?.from ?? from, to, lines: { from: open?.lines.from ?? line, to: line } };
    },
  });
  if (open) stretches.push(open);
  return stretches;
}

/** Words without meaning for a search. */
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
 * The search terms of a text: identifiers split, stemmed, in lower case.
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

/** The prefix of all words with this stem; words contain only letters or digits. */
export function beginningOf(word: string): string {
  // `queries` is stemmed to `query`.
  return word.endsWith('y') ? word.slice(0, -1) : word;
}

/** A rough, deterministic English stemmer. */
function stem(word: string): string {
  if (word.length < 5) return word.length === 4 && /[^s]s$/.test(word) ? word.slice(0, -1) : word;
  const base = word.replace(/(?:ies|ied)$/, 'y').replace(/(?:ingly|edly|ings?|ers?|ors?|ed|es|ly|s)$/, '');
  const kept = base.length >= 3 ? base : word;
  return kept.replace(/([^aeiouls])\1$/, '$1').replace(/e$/, '');
}
