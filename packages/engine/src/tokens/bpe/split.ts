import { BLANK, codeAt, NEWLINE, NUMBER, SPACE, widthOf } from './classes.ts';

/**
 * Answers where the piece that begins at `at` ends. Arguments stand one by one here and in what calls it, because it
 * runs once for every few bytes of text.
 */
export type Split = (bytes: Uint8Array, at: number, end: number) => number;

/** `\p{N}{1,3}`, of which the first has been seen. */
export function numberEnd(classes: Uint8Array, bytes: Uint8Array, after: number, end: number): number {
  let at = after;
  for (let i = 0; i < 2 && at < end; i++) {
    if (classes[codeAt(bytes, at)] !== NUMBER) break;
    at += widthOf(bytes[at] as number);
  }
  return at;
}

/** `\s*[\r\n]+|\s+(?!\S)|\s+` from the white space at `at`. */
export function whitespaceEnd(classes: Uint8Array, bytes: Uint8Array, at: number, end: number): number {
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

/** `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at `at`, or `at` where there is none. */
export function contractionEnd(bytes: Uint8Array, at: number, end: number): number {
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
