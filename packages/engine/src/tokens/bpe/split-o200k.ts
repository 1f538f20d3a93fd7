import { codeAt, LETTER, LOWER, MARK, NEWLINE, NUMBER, SPACE, SYMBOL, UPPER, widthOf } from './classes.ts';
import { contractionEnd, numberEnd, type Split, whitespaceEnd } from './split.ts';

/**
 * The pattern of o200k_base by hand:
 *
 *     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function createSplit(classes: Uint8Array): Split {
  return (bytes, at, end) => {
    const kind = classes[codeAt(bytes, at)] as number;
    const next = at + widthOf(bytes[at] as number);
    if (kind === UPPER || kind === LOWER || kind === LETTER) return contractionEnd(bytes, wordEnd(bytes, at, end), end);
    if (kind === NUMBER) return numberEnd(classes, bytes, next, end);
    if (kind === MARK) return contractionEnd(bytes, markedEnd(bytes, next, end), end);
    if (kind === NEWLINE || next === end) return kind === SYMBOL ? next : whitespaceEnd(classes, bytes, at, end);
    const following = classes[codeAt(bytes, next)] as number;
    if (following >= UPPER && following <= MARK) return contractionEnd(bytes, wordEnd(bytes, next, end), end);
    if (kind === SYMBOL || (kind === SPACE && following === SYMBOL)) return symbolsEnd(bytes, next, end);
    return whitespaceEnd(classes, bytes, at, end);
  };

  /**
   * Both word patterns from a letter or mark on. Letters without case and marks may stand in either half, so where the
   * capitals are followed by no small letter, the word ends after the last of those, if there is one.
   */
  function wordEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    let shared = -1;
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

  /** A piece that begins with a mark: the mark goes with a word of the first pattern, else it is a word by itself. */
  function markedEnd(bytes: Uint8Array, next: number, end: number): number {
    let at = next;
    let shared = next;
    while (at < end) {
      const kind = classes[codeAt(bytes, at)] as number;
      if (kind === LOWER) return tailEnd(bytes, at, end);
      if (kind !== UPPER && kind !== LETTER && kind !== MARK) break;
      at += widthOf(bytes[at] as number);
      if (kind !== UPPER) shared = at;
    }
    return shared;
  }

  function symbolsEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const kind = classes[codeAt(bytes, at)] as number;
      if (kind !== SYMBOL && kind !== MARK) break;
      at += widthOf(bytes[at] as number);
    }
    while (at < end && (bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x2f)) at++;
    return at;
  }
}
