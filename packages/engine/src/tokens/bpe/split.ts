import { BLANK, codeAt, LETTER, LOWER, MARK, NEWLINE, NUMBER, SPACE, SYMBOL, UPPER, widthOf } from './classes.ts';

/**
 * Answers where the piece that begins at `at` ends. Arguments stand one by one here and in what calls it, because it
 * runs once for every few bytes of text.
 */
export type Split = (bytes: Uint8Array, at: number, end: number) => number;

/** `\p{N}{1,3}`, of which the first has been seen. */
function numberEnd(classes: Uint8Array, bytes: Uint8Array, after: number, end: number): number {
  let at = after;
  for (let i = 0; i < 2 && at < end; i++) {
    if (classes[codeAt(bytes, at)] !== NUMBER) break;
    at += widthOf(bytes[at] as number);
  }
  return at;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` from the white space at `at`. */
function whitespaceEnd(classes: Uint8Array, bytes: Uint8Array, at: number, end: number): number {
  let afterNewline = -1;
  let last = at;
  let here = at;
  while (here < end) {
    const kind = classes[codeAt(bytes, here)] as number;
    if (kind !== SPACE && kind !== NEWLINE && kind !== BLANK) break;
    last = here;
    here += widthOf(bytes[here] as number);
    if (kind === NEWLINE) afterNewline = here;
  }
  if (afterNewline >= 0) return afterNewline;
  // The last blank before a word belongs to the word, unless it is the only one.
  return here === end || last === at ? here : last;
}

/** `[^\s\p{L}\p{N}]+[\r\n]*`, in o200k with slashes among the line ends. */
function symbolsEnd(classes: Uint8Array, bytes: Uint8Array, start: number, end: number, closing: number): number {
  let at = start;
  while (at < end) {
    const kind = classes[codeAt(bytes, at)] as number;
    if (kind !== SYMBOL && kind !== MARK) break;
    at += widthOf(bytes[at] as number);
  }
  while (at < end && (bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === closing)) at++;
  return at;
}

/** `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`, or `at` where there is none. */
function contractionEnd(bytes: Uint8Array, at: number, end: number): number {
  if (at + 1 >= end || bytes[at] !== 0x27) return at;
  const first = bytes[at + 1] as number;
  const second = at + 2 < end ? (bytes[at + 2] as number) : 0;
  switch (first | 0x20) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return at + 2;
    case 0x72: // re
    case 0x76: // ve
      return (second | 0x20) === 0x65 ? at + 3 : at;
    case 0x6c: // ll
      return (second | 0x20) === 0x6c ? at + 3 : at;
    default:
      // U+017F, the long s, is an s to a pattern that ignores case.
      return first === 0xc5 && second === 0xbf ? at + 3 : at;
  }
}

/**
 * The pattern of cl100k_base by hand:
 *
 *     (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]*
 *   | \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function createCl100kSplit(classes: Uint8Array): Split {
  return (bytes, at, end) => {
    const kind = classes[codeAt(bytes, at)] as number;
    const next = at + widthOf(bytes[at] as number);
    if (isLetter(kind)) return lettersEnd(bytes, next, end);
    if (kind === NUMBER) return numberEnd(classes, bytes, next, end);
    const symbol = kind === SYMBOL || kind === MARK;
    if (kind === NEWLINE || next === end) return symbol ? next : whitespaceEnd(classes, bytes, at, end);
    const contraction = contractionEnd(bytes, at, end);
    if (contraction > at) return contraction;
    const following = classes[codeAt(bytes, next)] as number;
    if (isLetter(following)) return lettersEnd(bytes, next, end);
    if (symbol || (kind === SPACE && (following === SYMBOL || following === MARK)))
      return symbolsEnd(classes, bytes, next, end, 0x0a);
    return whitespaceEnd(classes, bytes, at, end);
  };

  function lettersEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte >= 0x61 && byte <= 0x7a) {
        at++;
        continue;
      }
      if (!isLetter(classes[codeAt(bytes, at)] as number)) break;
      at += widthOf(byte);
    }
    return at;
  }
}

function isLetter(kind: number): boolean {
  return kind === UPPER || kind === LOWER || kind === LETTER;
}

/**
 * The pattern of o200k_base by hand:
 *
 *     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function createO200kSplit(classes: Uint8Array): Split {
  return (bytes, at, end) => {
    const kind = classes[codeAt(bytes, at)] as number;
    const next = at + widthOf(bytes[at] as number);
    if (kind === UPPER || kind === LOWER || kind === LETTER)
      return contractionEnd(bytes, wordEnd(bytes, at, end, -1), end);
    if (kind === NUMBER) return numberEnd(classes, bytes, next, end);
    if (kind === MARK) return contractionEnd(bytes, wordEnd(bytes, next, end, next), end);
    if (kind === NEWLINE || next === end) return kind === SYMBOL ? next : whitespaceEnd(classes, bytes, at, end);
    const following = classes[codeAt(bytes, next)] as number;
    if (following >= UPPER && following <= MARK) return contractionEnd(bytes, wordEnd(bytes, next, end, -1), end);
    if (kind === SYMBOL || (kind === SPACE && following === SYMBOL)) return symbolsEnd(classes, bytes, next, end, 0x2f);
    return whitespaceEnd(classes, bytes, at, end);
  };

  /**
   * Both word patterns from a letter or mark on. Letters without case and marks may be in either half, so where the
   * capitals are followed by no small letter, the word ends after the last of those, if there is one. `marked` is the end of
   * a mark before `start`, or -1.
   */
  function wordEnd(bytes: Uint8Array, start: number, end: number, marked: number): number {
    let at = start;
    let shared = marked;
    while (at < end) {
      const kind = classes[codeAt(bytes, at)] as number;
      if (kind === LOWER) return tailEnd(bytes, at, end);
      if (kind !== UPPER && kind !== LETTER && kind !== MARK) break;
      at += widthOf(bytes[at] as number);
      if (kind !== UPPER) shared = at;
    }
    return shared < 0 ? at : shared;
  }

  function tailEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte >= 0x61 && byte <= 0x7a) {
        at++;
        continue;
      }
      const kind = classes[codeAt(bytes, at)] as number;
      if (kind !== LOWER && kind !== LETTER && kind !== MARK) break;
      at += widthOf(byte);
    }
    return at;
  }
}
