import type { Part } from '../../message/index.ts';
import { partTexts } from '../../session/index.ts';
import type { SourceItem } from '../source-item.ts';
import type { SectionName } from './document/sections.ts';
import { segmentsOf } from './segments.ts';
import { scanTerms, type TermKind, termsIn } from './terms.ts';
import { defaultWeights, type LineOrigin, type Weights } from './weights.ts';

/** A line, or part of a long one, that may be selected. */
export interface Passage {
  /** The index of the item. */
  readonly item: number;
  /** From 1, as in handles. */
  readonly part: number;
  readonly line: number;
  /** Its range in the text of the part. */
  readonly from: number;
  readonly to: number;
  readonly origin: LineOrigin;
  readonly weight: number;
  readonly section: SectionName;
  /** Its terms, by number. */
  readonly terms: readonly number[];
  /** The number of its part within the session. */
  readonly place: number;
  /** The same number for lines of one table, log or list in one part. */
  readonly series: number;
  /** Its offset in characters from the start of the session. */
  readonly start: number;
}

/** A session, indexed for selection. */
export interface SessionReading {
  readonly items: readonly SourceItem[];
  readonly passages: readonly Passage[];
  /** The number of parts and of series. */
  readonly places: number;
  readonly series: number;
  /** The worth of each term, by number. */
  readonly worth: Float64Array;
  readonly weights: Weights;
  /** The text of a passage, trimmed. */
  textOf(passage: Passage): string;
  /** Its token count; cached. */
  tokensOf(of: { readonly passage: Passage; readonly count: (text: string) => number }): number;
  /** The text of a part. */
  partText(place: { readonly item: number; readonly part: number }): string;
  /** The terms of a text that occur in the session. */
  termsOf(text: string): number[];
}

/** The length at which a result counts half as brief as an empty one. */
const briefLength = 360;

/** Line numbers of listings, and JSON escape sequences. */
const listed = /^(?:(\s*)(?:Line )?\d+[\t→|:-]\s?|(\S*[^\s\d:-][:-])\d+[:-](?!\d|\s*(?:error|warning|fatal)\b))/;
const escapes = /\\[nrt"\\]/g;

/**
 * Reads a session once: its lines, their terms, and the worth of both. Linear in its size.
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
}): SessionReading {
  const lexicon = createLexicon();
  const passages: Passage[] = [];
  const texts: (readonly string[])[] = [];
  const counted = new Map<Passage, number>();
  let parts = 0;
  let allSeries = 0;
  let start = 0;
  for (const [item, { message }] of items.entries()) {
    // Image bytes and opaque provider data are not text.
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
    readonly origin: LineOrigin;
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

/** The weight of a line as one factor, and its section. */
interface Cause {
  readonly weight: number;
  readonly section: SectionName;
}

const trouble =
  /\b(?:error|fail(?:ed|ing|ure|s)?|fatal|exception|panic|traceback|cannot|could not|unable|not found|denied|timed? ?out|refused|abort(?:ed)?|rejected|invalid|missing)\b|[✗✘❌]/i;
const reason =
  /\b(?:because|instead|decid\w+|root cause|turns? out|so that|rather than|prefer\w*|caus(?:e|ed|es)|the (?:problem|issue|bug|reason|fix|culprit)|confirm\w*|conclu\w+|therefore|due to|in order to)\b/i;
const outcome =
  /\b(?:fix(?:ed|es)|works?|passing|pass(?:ed)?|created|completed?|implemented|added|removed|renamed|merged|committed|pushed|found|verified|resolved|reverted)\b|[✓✔✅]/i;
const rule =
  /\b(?:MUST|NEVER|NOT|ALWAYS|ONLY|must not|[Dd]o not|[Dd]on't|[Nn]ever|[Aa]lways|required|prohibited|forbidden|shall)\b|^\s*[-*] \[[ xX]\]/;
/** Plans and remaining work; `now` or `then` alone does not count. */
const intent =
  /\b(?:next(?: steps?)?[:,]|next(?: steps? (?:is|are)| I| we|$)|let me|let's|let us|(?:I|we)(?:['’]ll| will| need to| have to| plan to)|going to|plan(?:ned)?(?: is)?(?: to|:)|to-?do\b|remain(?:s|ing)?|left to do|still (?:to|needs?|missing|open|have|has|pending))\b|^\W*(?:now|next|then)\b,? (?!(?:that|it|the|this|all|everything|there|they)\b)/i;
const definition = /[\w\])"'`] ?(?::?=|:|->|=>|→) ?["'`\w[{(/$-]/;
/** Numbered lines of listings and searches; errors in them are code that handles errors. */
const listedLine = /^\s*(?:(?:Line )?\d+(?:[\t→|]|: )|\S+[:-]\d+[:-](?!\d|\s*(?:error|warning|fatal)\b))/;

/** A quoted text for people, such as a message or a label: at least two words. */
const message = /(["'`])(?=[^"'`\n]{0,200}[A-Za-z]{2} [^"'`\n]{0,200}[A-Za-z]{2})[^"'`\n]{10,220}\1/;
/** A constant, a number, or a quantity with its unit. */
const value =
  /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b["'\]]?\s*(?::[^=\n]{0,30})?[=:]\s*\S|[=:(,]\s*-?\d|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds?|minutes?|hours?|days?|[kKMG]i?B|bytes?|px|%)(?!\w)/;
/** Imports and the like, and rows of `ls -l`. */
const boilerplate =
  /^\s*(?:\d{1,6}[\t→|:-]\s*)?(?:import\b[^"'\n]{0,200}["']|import \{|export (?:\*|\{)|\} from ["']|from [\w.]+ import|#include|using [\w.]+;|package [\w.]+;?$|use [\w:]+(?:::\{|;)|[-dl][rwx-]{9}[@+.]?\s|total \d+$)/;

/** A statement of code: it ends like one, or begins with a word that only code begins with. */
const statement =
  /[;{}()[\],]\s*(?:\\n)?$|^\s*(?:\d{1,6}[\t→|:-]\s*)?(?:return|if|for|while|else|const|let|var|await|this\.|self\.|case|try|elif|end)\b/;
/** What a reader of code can only know, not derive: texts, numbers, comments, and the names of what is declared. */
const informative =
  /(["'`])(?:(?!\1)[^\n]){3,}\1|(?<![\w.])\d{2,}|\/\/|\/\*|^\s*(?:\*|#|--)\s|\b(?:function|class|interface|type|enum|def|func|fn|struct|impl|trait|export|throw|raise|panic)\b/;

/** How a command ended: its exit code, a timeout, how many tests passed, how many problems were found. */
const status =
  /\btim(?:ed|e) ?out after \d|\bexit(?:ed|s)?(?: with)?(?: code| status)?[: ]+\d+|\b\d+ (?:tests? |suites? )?(?:passing|failing|passed|failed|pending|skipped|errors?|warnings?|problems?|files? changed)\b|^\W*(?:Tests?|Test Suites|Ran|Found|Total)\b:? +\d+/i;

/** The weight and the section of a line. `brief` is from 0 to 1: how short the whole result is. */
function causeOf({
  text,
  origin,
  brief,
  weights,
}: {
  readonly text: string;
  readonly origin: LineOrigin;
  readonly brief: number;
  readonly weights: Weights;
}): Cause {
  const isStatement = origin === 'human' || origin === 'model' || origin === 'thinking';
  const isOutput = origin === 'result' || origin === 'error';
  const isTrouble = origin === 'error' || (trouble.test(text) && !listedLine.test(text));
  const isReason = isStatement && (reason.test(text) || outcome.test(text));
  const isRule = rule.test(text);
  const isDefinition = definition.test(text);
  let weight = weights.origin[isTrouble && origin === 'result' ? 'error' : origin];
  if (isReason) weight *= weights.reason;
  if (isRule) weight *= weights.rule;
  if (isDefinition) weight *= weights.definition;
  weight *= 1 + weights.brief * brief;
  if (isOutput && status.test(text) && !listedLine.test(text)) weight *= weights.status;
  if (!isStatement && message.test(text)) weight *= weights.message;
  if (!isStatement && value.test(text)) weight *= weights.value;
  if (!isStatement && boilerplate.test(text)) weight *= weights.boilerplate;
  if (!isStatement && statement.test(text) && !informative.test(text)) weight *= weights.statement;
  return { weight, section: sectionOf() };

  function sectionOf(): SectionName {
    if (origin === 'human') return 'overview';
    if (isTrouble) return 'problem resolution';
    if (isStatement) {
      if (isReason) return reason.test(text) ? 'problem resolution' : 'progress';
      return intent.test(text) ? 'continuation plan' : 'active work';
    }
    if (origin === 'call') return 'recent operations';
    return isDefinition || isRule ? 'technical foundation' : 'codebase status';
  }
}

/** The origin of the text of a part. */
function originOf(part: Part): LineOrigin {
  switch (part.type) {
    case 'thinking':
      return 'thinking';
    case 'tool_call':
      return 'call';
    case 'tool_result':
      return part.isError ? 'error' : 'result';
    default:
      return part.origin === 'tool' ? 'result' : part.origin;
  }
}

/** Pairs of words are terms as well. */
type LexiconKind = TermKind | 'pair';

/** The terms of a session, numbered, with their frequency. */
interface Lexicon {
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

function createLexicon(): Lexicon {
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
