import { isUtf8 } from 'node:buffer';
import { LonghaulError } from '../../errors.ts';
import type { WarningList } from '../report.ts';

const decoder = new TextDecoder();
const lineFeed = 0x0a;

/** A character of UTF-8 has at most so many bytes after its first, and may be cut off behind any of them. */
const mostLeft = 3;

/**
 * The text of a line, without a byte order mark. A byte that is no UTF-8 costs a character, and is told: a session is
 * not given up for the one line that a crash tore inside a character.
 */
export function utf8Text(of: {
  readonly bytes: Uint8Array;
  readonly line: number;
  readonly warnings: WarningList;
}): string {
  tellForeignBytes(of);
  return decoder.decode(of.bytes);
}

/** Warns of a line that is not all UTF-8. */
export function tellForeignBytes({
  bytes,
  line,
  warnings,
}: {
  readonly bytes: Uint8Array;
  readonly line: number;
  readonly warnings: WarningList;
}): void {
  if (isUtf8(bytes)) return;
  warnings.add({
    code: 'not-utf8',
    message: 'This line has bytes that are no UTF-8; a \ufffd stands in their place.',
    line,
  });
}

/** Refuses what begins in another encoding, or is no text at all. */
export function refuseForeignBytes(start: Uint8Array): void {
  const [first, second] = start;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!isUtf16 && isUtf8(withoutCutCharacter(start))) return;
  throw new LonghaulError({
    code: 'not-utf8',
    message: isUtf16
      ? 'The file is UTF-16 text, not UTF-8.'
      : `The file is not UTF-8 text: see line ${badLine(start)}.`,
    hint: 'Save it as UTF-8 and try again.',
  });
}

/** Where the beginning of a file ends, it may end inside a character. */
function withoutCutCharacter(start: Uint8Array): Uint8Array {
  for (let left = 0; left <= mostLeft; left += 1) {
    const whole = start.subarray(0, start.length - left);
    if (isUtf8(whole)) return whole;
  }
  return start;
}

/** The first line with bytes that are no UTF-8; a line feed is never part of a longer character. */
function badLine(bytes: Uint8Array): number {
  for (let line = 1, start = 0; ; line += 1) {
    const feed = bytes.indexOf(lineFeed, start);
    if (feed < 0 || !isUtf8(bytes.subarray(start, feed))) return line;
    start = feed + 1;
  }
}
