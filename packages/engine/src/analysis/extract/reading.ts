import { partTexts } from '../../session/index.ts';
import type { SourceItem } from '../source-item.ts';
import { causeOf, originOf } from './causes.ts';
import type { SectionName } from './document/sections.ts';
import { createLexicon } from './lexicon.ts';
import { segmentsOf } from './segments.ts';
import { defaultWeights, type Origin, type Weights } from './weights.ts';

/** A line, or a piece of a long one, that may be chosen. */
export interface Passage {
  /** Which of the items, from 0. */
  readonly item: number;
  /** From 1, as in handles. */
  readonly part: number;
  readonly line: number;
  /** Where it stands in the text of the part. */
  readonly from: number;
  readonly to: number;
  readonly origin: Origin;
  readonly weight: number;
  readonly section: SectionName;
  /** The numbers of its terms. */
  readonly terms: readonly number[];
  /** The number of its part among all parts of the session. */
  readonly place: number;
  /** Lines of one table, log or list in one part have the same number. */
  readonly series: number;
  /** How many characters were said before it. */
  readonly start: number;
}

/** A session as the chooser sees it. */
export interface Reading {
  readonly items: readonly SourceItem[];
  readonly passages: readonly Passage[];
  /** How many parts and series there are. */
  readonly places: number;
  readonly series: number;
  /** What each term is worth, by its number. */
  readonly worth: Float64Array;
  readonly weights: Weights;
  /** Exactly what stands at a passage, without the space around it. */
  textOf(passage: Passage): string;
  /** What that comes to; counted once. */
  tokensOf(of: { readonly passage: Passage; readonly count: (text: string) => number }): number;
  /** The text of a part, by item and number. */
  partText(place: { readonly item: number; readonly part: number }): string;
  /** The terms of a text, as far as the session has them. */
  termsOf(text: string): number[];
}

/** A result of this many characters counts half as brief as an empty one. */
const briefLength = 360;

/** Numbers before the lines of a listing, and what JSON writes for the end of a line. */
const listed = /^(?:(\s*)(?:Line )?\d+[\t→|:-]\s?|(\S*[^\s\d:-][:-])\d+[:-](?!\d|\s*(?:error|warning|fatal)\b))/;
const escapes = /\\[nrt"\\]/g;

/**
 * Reads a session once: its lines, their terms, and what both are worth. Linear in its size.
 *
 * @example
 * const reading = readItems({ items });
 * reading.passages.length; // lines that may be chosen
 */
export function readItems({
  items,
  weights = defaultWeights,
  focus,
}: {
  readonly items: readonly SourceItem[];
  readonly weights?: Weights | undefined;
  readonly focus?: string | undefined;
}): Reading {
  const lexicon = createLexicon();
  const passages: Passage[] = [];
  const texts: (readonly string[])[] = [];
  const counted = new Map<Passage, number>();
  let parts = 0;
  let allSeries = 0;
  let start = 0;
  for (const [item, { message }] of items.entries()) {
    // Bytes of images, and what only its provider understands, were not written to be read.
    const all = partTexts(message.parts).map(({ text, isProse }) => (isProse ? text : ''));
    texts.push(all);
    for (const [index, text] of all.entries()) {
      const part = message.parts[index];
      if (part) readPart({ text, item, part: index + 1, origin: originOf(part) });
    }
  }
  return {
    items,
    passages,
    places: parts + 1,
    series: allSeries,
    worth: lexicon.worth({ weights, focus }),
    weights,
    textOf,
    tokensOf: ({ passage, count }) => {
      const known = counted.get(passage);
      const tokens = known ?? count(textOf(passage));
      if (known === undefined) counted.set(passage, tokens);
      return tokens;
    },
    partText: ({ item, part }) => texts[item]?.[part - 1] ?? '',
    termsOf: lexicon.find,
  };

  function textOf({ item, part, from, to }: Passage): string {
    return (texts[item]?.[part - 1] ?? '').slice(from, to).trim();
  }

  function readPart({
    text,
    item,
    part,
    origin,
  }: {
    readonly text: string;
    readonly item: number;
    readonly part: number;
    readonly origin: Origin;
  }): void {
    parts += 1;
    const isOutput = origin === 'result' || origin === 'error';
    const brief = isOutput ? briefLength / (briefLength + text.length) : 0;
    const isProse = origin === 'human' || origin === 'model' || origin === 'engine';
    const series = new Map<number, number>();
    segmentsOf({
      text,
      visit: ({ line, from, to }) => {
        const said = text.slice(from, to);
        const { weight, section } = causeOf({ text: said, origin, brief, weights });
        const bare = origin === 'call' ? said.replace(escapes, '  ') : isOutput ? said.replace(listed, '$1$2 ') : said;
        const { numbers: terms, shape } = lexicon.take({ text: bare, place: { part: parts, weight, isProse } });
        if (terms.length === 0) return;
        const known = series.get(shape);
        if (known === undefined) series.set(shape, allSeries++);
        const where = { item, part, line, from, to, start: start + from, place: parts };
        passages.push({ ...where, origin, weight, section, terms, series: known ?? allSeries - 1 });
      },
    });
    start += text.length;
  }
}
