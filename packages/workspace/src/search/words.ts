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
 * The parts of all mixed-case identifiers of a text in UTF-8, for the index: SQLite's tokenizer splits at `_` and `-`, but not
 * where the case changes. `known` remembers identifiers, which repeat. A loop over bytes: most words have no parts, and a
 * regular expression makes a string of each.
 */
export function caseParts({ bytes, known }: { readonly bytes: Buffer; readonly known: Map<string, string> }): string {
  let parts = '';
  let start = 0;
  let last = 0;
  let capital = -1;
  let hasBorder = false;
  for (let at = 0; at <= bytes.length; at += 1) {
    const now = at < bytes.length ? (classes[bytes[at] ?? 0] ?? 0) : 0;
    if (now === 0) {
      // A single letter after the first capital is too short for a part.
      if (hasBorder && capital >= 0 && capital < at - 1)
        parts += splitWord({ word: bytes.toString('latin1', start, at), known });
      start = at + 1;
      capital = -1;
      hasBorder = false;
    } else if (now !== last) {
      if (now === upper && capital < 0) capital = at;
      // `HTTPServer` is cut before the last of its capitals, `Server` nowhere.
      if (last !== 0 && (last !== upper || now !== lower || at - start > 1)) hasBorder = true;
    }
    last = now;
  }
  return parts;
}

function splitWord({ word, known }: { readonly word: string; readonly known: Map<string, string> }): string {
  let split = known.get(word);
  if (split === undefined) {
    const all = partsOf(word);
    split = all.length < 2 ? '' : `${all.filter(({ length }) => length > 1).join(' ')} `;
    if (known.size > 100_000) known.clear();
    known.set(word, split);
  }
  return split;
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
