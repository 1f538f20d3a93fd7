/** Kinds of terms. The more exactly a term must be known, the more it is worth. */
export type TermKind = 'url' | 'path' | 'issue' | 'hash' | 'version' | 'number' | 'name' | 'word' | 'time';

export interface Term {
  readonly term: string;
  readonly kind: TermKind;
}

/** A longer word is data. */
const maxTerm = 120;

/** Timestamps are a separate kind: as numbers, each would be unique and so the rarest. */
const time = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?|\d\d:\d\d:\d\d(?:[.,]\d+)?`;
const url = String.raw`https?:\/\/[^\s"'\x60<>()[\]{}\\|]+`;
const windows = String.raw`[A-Za-z]:\\{1,2}[\w.@~+-]+(?:\\{1,2}[\w.@~+-]+)*`;
/** The lookbehind prevents quadratic time on a line of dashes. */
const path = String.raw`(?<![\w.@~+-])[\w.@~+-]*(?:\/[\w.@+-]+)+`;
const issue = String.raw`\b[A-Z][A-Z0-9]{1,9}-\d+\b|#\d+\b`;
const number = String.raw`\b[0-9a-f]{7,64}\b|\bv?\d+(?:\.\d+)+(?:-[\w.]+)?|\d[\d_,]*\d|\d`;
const ascii = String.raw`[A-Za-z_$][\w$]*(?:[-.:]{1,2}[A-Za-z_$][\w$]*)*`;
const letters = String.raw`[\p{L}_$][\p{L}\p{M}\p{N}_$]*(?:[-.:]{1,2}[\p{L}_$][\p{L}\p{M}\p{N}_$]*)*`;

const asciiTerm = new RegExp([time, url, windows, path, issue, number, ascii].join('|'), 'g');
const anyTerm = new RegExp([time, url, windows, path, issue, number, letters].join('|'), 'gu');

// biome-ignore lint/suspicious/noControlCharactersInRegex: everything beyond ASCII is what it looks for.
const beyondAscii = /[^\u0000-\u007f]/;
/** Scripts without spaces: two characters count as a word. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}]/u;

/** Visits possible terms of a text, in order. */
export function scanTerms({ text, visit }: { readonly text: string; readonly visit: (found: string) => void }): void {
  const pattern = beyondAscii.test(text) ? anyTerm : asciiTerm;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    if (match[0].length <= maxTerm) visit(match[0]);
  }
}

/**
 * The terms of a match in lower case; none for meaningless words. A path is followed by its file name, by which it is
 * usually mentioned.
 *
 * @example
 * termsIn('src/Main.ts'); // [{ term: 'src/main.ts', kind: 'path' }, { term: 'main.ts', kind: 'path' }]
 */
export function termsIn(found: string): Term[] {
  const last = found.charCodeAt(found.length - 1);
  // Trailing punctuation of the sentence: a dot, a colon, a hyphen.
  const term = last === 46 || last === 58 || last === 45 ? found.replace(/(?<![.:-])[.:-]+$/, '') : found;
  if (unspaced.test(term)) return pairsIn(term);
  const kind = kindOf(term);
  if (kind === undefined || ((kind === 'name' || kind === 'path') && isNoise(term))) return [];
  const lower = term.toLowerCase();
  const name = kind === 'path' ? lower.slice(Math.max(lower.lastIndexOf('/'), lower.lastIndexOf('\\')) + 1) : '';
  const isNamed = name.length > 2 && name.length < lower.length;
  return isNamed
    ? [
        { term: lower, kind },
        { term: name, kind },
      ]
    : [{ term: lower, kind }];
}

function pairsIn(term: string): Term[] {
  const characters = [...term];
  return characters.slice(1).map((character, at) => ({ term: `${characters[at]}${character}`, kind: 'word' }));
}

const minWord = 4;

function kindOf(term: string): TermKind | undefined {
  const first = term.charCodeAt(0);
  const startsWithDigit = first >= 48 && first <= 57;
  if (startsWithDigit) {
    if (/^\d{4}-\d\d-\d\d[T ]|^\d\d:\d\d:\d\d/.test(term)) return 'time';
    if (term.length < 2) return undefined;
    if (/^[\d_,]+$/.test(term)) return 'number';
  }
  if (first === 35) return 'issue';
  if (term.includes('/') || term.includes('\\')) return /^https?:/.test(term) ? 'url' : 'path';
  if (/^v?\d+\./.test(term)) return 'version';
  if (isHash(term)) return 'hash';
  if (/^[A-Z][A-Z0-9]{1,9}-\d+$/.test(term)) return 'issue';
  if (/[a-z\d]\.[a-z]{1,5}$/.test(term) && !term.includes(':')) return 'path';
  if (/[_$.:\d-]|\p{Ll}\p{Lu}|\p{Lu}{2}/u.test(term)) return term.length < 3 ? undefined : 'name';
  return term.length < minWord || functionWords.has(term.toLowerCase()) ? undefined : 'word';
}

function isHash(term: string): boolean {
  return /^[0-9a-f]{7,64}$/.test(term) && /\d/.test(term) && /[a-f]/.test(term);
}

/** Encoded data alternates between cases and digits far more often than names. */
function isNoise(term: string): boolean {
  if (term.length < 24) return false;
  let changes = 0;
  for (let at = 1; at < term.length; at += 1) if (caseOf(term, at) !== caseOf(term, at - 1)) changes += 1;
  return changes > term.length / 3;
}

function caseOf(term: string, at: number): number {
  const code = term.charCodeAt(at);
  if (code >= 48 && code <= 57) return 0;
  if (code >= 65 && code <= 90) return 1;
  return code >= 97 && code <= 122 ? 2 : 3;
}

/** Words without meaning of their own, in English and in programming languages. */
const functionWords = new Set(
  `about after again also another async await because been before being between both break case catch class code const
  continue could default does doing done down each else even every export extends false file files finally first from
  func function good have having here import instead int interface into just know like line lines look make made many
  more most much must need needs next nil none null number only other over package print private public really return
  returns same self should since some static still string struct such sure switch take than that their them then there
  these they thing think this those throw through true type undefined under until upon used uses using very void want
  well were what when where whether which while will with within without would your`.split(/\s+/),
);
