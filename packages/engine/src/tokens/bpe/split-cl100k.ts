import { codeAt, LETTER, LOWER, MARK, NEWLINE, NUMBER, SPACE, SYMBOL, UPPER, widthOf } from './classes.ts';
import { contractionEnd, numberEnd, type Split, whitespaceEnd } from './split.ts';

/**
 * The pattern of cl100k_base by hand:
 *
 *     (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]*
 *   | \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function createSplit(classes: Uint8Array): Split {
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
    if (symbol || (kind === SPACE && (following === SYMBOL || following === MARK))) return symbolsEnd(bytes, next, end);
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

  function symbolsEnd(bytes: Uint8Array, start: number, end: number): number {
    let at = start;
    while (at < end) {
      const kind = classes[codeAt(bytes, at)] as number;
      if (kind !== SYMBOL && kind !== MARK) break;
      at += widthOf(bytes[at] as number);
    }
    while (at < end && (bytes[at] === 0x0a || bytes[at] === 0x0d)) at++;
    return at;
  }
}

function isLetter(kind: number): boolean {
  return kind === UPPER || kind === LOWER || kind === LETTER;
}
