import { stemmer } from 'stemmer';

/** Words that say nothing about code; they are left out of queries, never of the index. */
const stopWords = new Set(
  (
    'a an and are as at be been being but by can could did do does done for from had has have how i if in into is it its me my ' +
    'no not of on or our out please should so some such than that the their them then there these this those to too up us was ' +
    'we were what when where which while who why will with would you your also only just more most all any both each same very ' +
    'via instead etc about after again because before between during'
  ).split(' '),
);

const identifier = /[A-Za-z0-9]+/g;
const partBorder = /_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])/;

/** The words inside an identifier, in lower case. */
function partsOf(word: string): string[] {
  return word.split(partBorder).map((part) => part.toLowerCase());
}

const [lower, upper, digit, underscore] = [1, 2, 3, 4];

/** What each byte of UTF-8 is in a word; 0 ends one. */
const classes = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  return /[0-9]/.test(character) ? digit : character === '_' ? underscore : 0;
});

/**
 * Writes the parts of all mixed-case identifiers between two offsets of a text in UTF-8, each followed by a blank, and returns
 * where they end: SQLite's tokenizer splits at `_` and `-`, but not where the case changes. Case is kept, since that
 * tokenizer ignores it. A loop over bytes without strings: this runs over every byte of a workspace. They take at most
 * twice the space of the text.
 */
export function writeParts({
  text,
  from,
  end,
  to,
  at: start,
}: {
  readonly text: Uint8Array;
  readonly from: number;
  readonly end: number;
  readonly to: Uint8Array;
  readonly at: number;
}): number {
  let written = start;
  let word = from;
  let last = 0;
  let capital = -1;
  let hasBorder = false;
  for (let at = from; at <= end; at += 1) {
    const now = at < end ? (classes[text[at] as number] as number) : 0;
    if (now === last) continue;
    if (now === 0) {
      // A single letter after the first capital is too short for a part.
      if (hasBorder && capital >= 0 && capital < at - 1)
        written = writeWord({ text, from: word, end: at, to, at: written });
      capital = -1;
      hasBorder = false;
    } else if (last === 0) {
      word = at;
      if (now === upper) capital = at;
    } else {
      if (now === upper && capital < 0) capital = at;
      // `HTTPServer` is cut before the last of its capitals, `Server` nowhere.
      if (last !== upper || now !== lower || at - word > 1) hasBorder = true;
    }
    last = now;
  }
  return written;
}

/** The parts of one identifier that are longer than a letter. */
function writeWord(of: {
  readonly text: Uint8Array;
  readonly from: number;
  readonly end: number;
  readonly to: Uint8Array;
  readonly at: number;
}): number {
  const { text, end, to } = of;
  let written = of.at;
  let part = of.from;
  let last = classes[text[part] as number] as number;
  for (let at = of.from + 1; at <= end; at += 1) {
    const now = at < end ? (classes[text[at] as number] as number) : 0;
    if (now === last) continue;
    const isAcronym = last === upper && now === lower;
    // `Server` is one part; of `HTTPServer` the last capital begins the next one.
    const stop = isAcronym ? at - 1 : at;
    if (!isAcronym || stop > part) {
      if (last !== underscore && stop - part > 1) {
        for (let byte = part; byte < stop; byte += 1) {
          to[written] = text[byte] as number;
          written += 1;
        }
        to[written] = 0x20;
        written += 1;
      }
      part = stop;
    }
    last = now;
  }
  return written;
}

/** A term of a query. */
export interface QueryTerm {
  readonly text: string;
  /** Higher for what is certainly a name: quoted, or written like an identifier. */
  readonly weight: number;
}

/**
 * The terms of a question: its words without those that say nothing, identifiers whole and in parts. What is in
 * backticks or is written like an identifier weighs more.
 *
 * @example
 * queryTerms('use `tryDecode` when parsing cookie').map(({ text }) => text);
 * // ['use', 'trydecode', 'try', 'decode', 'parsing', 'cookie']
 */
export function queryTerms(query: string): QueryTerm[] {
  const terms = new Map<string, number>();
  const add = (text: string, weight: number) => {
    if (text.length < 2 || text.length > 60) return;
    terms.set(text, Math.max(weight, terms.get(text) ?? 0));
  };
  const quoted = new Set((query.match(/`[^`\n]{1,200}`/g) ?? []).flatMap((code) => code.match(identifier) ?? []));
  for (const word of query.slice(0, 10_000).match(identifier) ?? []) {
    const lower = word.toLowerCase();
    const isName = quoted.has(word) || /[a-z0-9][A-Z]|^[A-Z]{2,}$/.test(word);
    if (!isName && stopWords.has(lower)) continue;
    add(lower, isName ? 2 : 1);
    const parts = partsOf(word);
    if (parts.length > 1) for (const part of parts) if (!stopWords.has(part)) add(part, 0.7);
  }
  return [...terms].map(([text, weight]) => ({ text, weight })).slice(0, 64);
}

/** Stems of English words repeat as identifiers do. */
const stems = new Map<string, string>();

function stemOf(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stemmer(word);
    if (stems.size > 100_000) stems.clear();
    stems.set(word, stem);
  }
  return stem;
}

/** The stems of all words of a text and of the parts of its identifiers. */
export function stemsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const found of text.slice(0, 400_000).match(identifier) ?? []) {
    if (words.has(found)) continue;
    words.add(found);
    words.add(stemOf(found.toLowerCase()));
    if (partBorder.test(found)) for (const part of partsOf(found)) words.add(stemOf(part));
  }
  return words;
}
