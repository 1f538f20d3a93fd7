import { scanTerms, type TermKind, termsIn } from './terms.ts';
import type { Weights } from './weights.ts';

/** Pairs of words are terms as well. */
type LexiconKind = TermKind | 'pair';

/** The terms of a session, numbered, with their frequency. */
export interface Lexicon {
  /** Adds the terms of a line; returns each once, and the shape of the line. */
  take(input: { readonly text: string; readonly place: TermPosition }): LineTerms;
  /** The numbers of known terms in a text. */
  find(text: string): number[];
  /** The worth of each term, by number. */
  worth(input: { readonly weights: Weights; readonly focus?: string | undefined }): Float64Array;
}

interface LineTerms {
  readonly numbers: readonly number[];
  /** The sequence of term kinds; the same for lines of one table, log or list. */
  readonly shape: number;
}

interface TermPosition {
  /** The number of the part; a term counts once per part. */
  readonly part: number;
  /** The weight of the line, which its terms inherit. */
  readonly weight: number;
  /** Whether it is prose, in which pairs of words are terms. */
  readonly isProse: boolean;
}

/** Number of terms in a shape. */
const shapeLength = 6;
const shapeBase = 10;
const shapeDigits: Readonly<Record<TermKind, number>> = {
  url: 1,
  path: 2,
  issue: 3,
  hash: 4,
  version: 5,
  number: 6,
  name: 7,
  word: 8,
  time: 9,
};

export function createLexicon(): Lexicon {
  const numbers = new Map<string, number>();
  const terms: string[] = [];
  const kinds: LexiconKind[] = [];
  /** The number of parts with the term, and the last one. */
  const spread: number[] = [];
  const lastPart: number[] = [];
  const best: number[] = [];
  /** Cache by exact spelling, because most of a session is repetition. */
  const resolved = new Map<string, readonly number[]>();
  return { take, find, worth };

  function take({ text, place }: { readonly text: string; readonly place: TermPosition }): LineTerms {
    const found: number[] = [];
    let shape = 0;
    let length = 0;
    walk({
      text,
      isProse: place.isProse,
      resolve: (written) => {
        const known = resolved.get(written) ?? termsIn(written).map(({ term, kind }) => numberOf({ term, kind }));
        resolved.set(written, known);
        return known;
      },
      pair: (term) => numberOf({ term, kind: 'pair' }),
      visit: (number) => {
        const kind = kinds[number] ?? 'pair';
        if (kind !== 'pair' && length < shapeLength) {
          shape = shape * shapeBase + shapeDigits[kind];
          length += 1;
        }
        if (lastPart[number] !== place.part) {
          lastPart[number] = place.part;
          spread[number] = (spread[number] ?? 0) + 1;
        }
        if (place.weight > (best[number] ?? 0)) best[number] = place.weight;
        if (!found.includes(number)) found.push(number);
      },
    });
    return { numbers: found, shape };
  }

  function find(text: string): number[] {
    const found: number[] = [];
    walk({
      text,
      isProse: true,
      resolve: (written) => resolved.get(written) ?? termsIn(written).flatMap(({ term }) => numbers.get(term) ?? []),
      pair: (term) => numbers.get(term),
      visit: (number) => found.push(number),
    });
    return found;
  }

  /** Visits the terms of a text and the pairs of adjacent words. */
  function walk(of: {
    readonly text: string;
    readonly isProse: boolean;
    readonly resolve: (written: string) => readonly number[];
    readonly pair: (term: string) => number | undefined;
    readonly visit: (number: number) => void;
  }): void {
    let before: string | undefined;
    scanTerms({
      text: of.text,
      visit: (written) => {
        for (const number of of.resolve(written)) {
          of.visit(number);
          if (!of.isProse) continue;
          const word = kinds[number] === 'word' ? terms[number] : undefined;
          const pair = before !== undefined && word !== undefined ? of.pair(`${before} ${word}`) : undefined;
          if (pair !== undefined) of.visit(pair);
          before = word;
        }
      },
    });
  }

  function numberOf({ term, kind }: { readonly term: string; readonly kind: LexiconKind }): number {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    const number = kinds.length;
    numbers.set(term, number);
    terms.push(term);
    kinds.push(kind);
    spread.push(0);
    lastPart.push(-1);
    best.push(0);
    return number;
  }

  function worth({ weights, focus }: { readonly weights: Weights; readonly focus?: string | undefined }) {
    const worths = new Float64Array(kinds.length);
    for (const [number, kind] of kinds.entries()) {
      const base = kind === 'pair' ? weights.pair : weights.kind[kind];
      worths[number] = base * rarity(spread[number] ?? 0) * Math.sqrt(best[number] ?? 0);
    }
    for (const number of new Set(focus === undefined ? [] : find(focus))) {
      worths[number] = (worths[number] ?? 0) * weights.focus;
    }
    return worths;
  }
}

/** A term used once may be chance, a few times it matters, everywhere it is common knowledge. */
function rarity(spread: number): number {
  if (spread <= 1) return 1;
  if (spread <= 2) return 1.35;
  if (spread <= 4) return 1.5;
  if (spread <= 8) return 1.3;
  if (spread <= 16) return 1;
  return spread <= 40 ? 0.7 : 0.4;
}
