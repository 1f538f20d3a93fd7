import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { LonghaulError } from '../../errors.ts';
import type { WarningList } from '../warnings.ts';

const decoder = new TextDecoder();
const lineFeed = 0x0a;

/** A character of UTF-8 has at most so many bytes after its first, and may be cut off behind any of them. */
const mostLeft = 3;

/**
 * The text of a line, without a byte order mark. A byte that is not UTF-8 is replaced and reported: a session is not
 * rejected for one line that a crash cut inside a character.
 */
export function utf8Text(of: {
  readonly bytes: Uint8Array;
  readonly line: number;
  readonly warnings: WarningList;
}): string {
  describeForeignBytes(of);
  return decoder.decode(of.bytes);
}

/** Warns of a line that is not all UTF-8. */
export function describeForeignBytes({
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
    message: 'This line has bytes that are not UTF-8; they were replaced by \ufffd.',
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

/** No provider takes anything near it, and far beyond it JSON.stringify runs out of stack. */
const deepest = 1000;

/** Whether the lists and objects of a value stand in each other too deeply for code that recurses. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return true;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null
        ? Object.values(item).filter((child) => typeof child === 'object' && child !== null)
        : [],
    );
  }
  return false;
}

const zstandard = [0x28, 0xb5, 0x2f, 0xfd];

/** Sessions shrink to a tenth, logs of repeated lines to a hundredth. What grows more than this was made to. */
const mostGrowth = 1000;

/** Small files may be as repetitive as they like. */
const harmless = 64 * 1024 * 1024;

/**
 * The bytes of a file that may be compressed with Zstandard (Codex does so with old sessions), as they are asked for. A
 * file that was made to grow without end is refused before it fills anything.
 *
 * @example
 * for await (const piece of inflated(createReadStream('rollout.jsonl.zst'))) { … }
 */
export async function* decompress(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  for (let length = 0; length < zstandard.length; ) {
    const { done, value } = await iterator.next();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  const start = Buffer.concat(taken.map((piece) => piece.subarray(0, zstandard.length)));
  const isCompressed = zstandard.every((byte, index) => start[index] === byte);
  let read = 0;
  if (!isCompressed) {
    yield* all();
    return;
  }
  let written = 0;
  try {
    for await (const piece of Readable.from(all()).pipe(createZstdDecompress())) {
      written += piece.length;
      if (written > harmless && written > read * mostGrowth) throw decompressionBomb();
      yield piece;
    }
  } catch (error) {
    throw LonghaulError.is(error) ? error : damaged(error);
  }

  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of taken) {
        read += piece.length;
        yield piece;
      }
      for (;;) {
        const { done, value } = await iterator.next();
        if (done) return;
        read += value.length;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
}

function decompressionBomb(): LonghaulError {
  return new LonghaulError({
    code: 'grows-without-end',
    message: `It is compressed, and grows to more than ${mostGrowth} times its size.`,
    hint: 'No session does that: see where the file came from.',
  });
}

function damaged(error: unknown): LonghaulError {
  return new LonghaulError({
    code: 'cannot-decompress',
    message: `It is compressed with Zstandard, and cannot be decompressed: ${error instanceof Error ? error.message : error}.`,
    hint: 'See whether the program that writes it has finished.',
    cause: error,
  });
}
