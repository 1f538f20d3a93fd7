import { LonghaulError } from '../../errors.ts';

/** One line of a file, without its line feed. */
export interface ByteLine {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Whether a line feed followed: the last line of a file that was cut short has none. */
  readonly ended: boolean;
}

const lineFeed = 0x0a;

/**
 * Cuts bytes into lines at line feeds and nowhere else: U+2028 and U+2029 may stand raw inside a JSON string, and readers
 * that take them for line ends tear records apart (pi #1911, Copilot CLI #2490). Holds one line at a time, and refuses
 * one that is longer than `limit`, so that memory is bounded however the file was made.
 *
 * @example
 * for await (const { number, bytes } of splitLines({ bytes: createReadStream(path), limit: 1024 * 1024 })) { … }
 */
export async function* splitLines({
  bytes,
  limit,
}: {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly limit: number;
}): AsyncGenerator<ByteLine> {
  let number = 1;
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    let from = 0;
    for (;;) {
      const feed = chunk.indexOf(lineFeed, from);
      const piece = chunk.subarray(from, feed < 0 ? chunk.length : feed);
      length += piece.length;
      if (length > limit) throw lineTooLong({ number, limit });
      if (feed < 0) {
        // Streams may use their buffer again for the next chunk.
        if (piece.length > 0) pieces.push(piece.slice());
        break;
      }
      yield { number, bytes: join({ pieces, last: piece, length }), ended: true };
      number += 1;
      pieces = [];
      length = 0;
      from = feed + 1;
    }
  }
  if (length > 0) yield { number, bytes: join({ pieces, last: new Uint8Array(0), length }), ended: false };
}

function join(of: { readonly pieces: readonly Uint8Array[]; readonly last: Uint8Array; length: number }): Uint8Array {
  if (of.pieces.length === 0) return of.last;
  const whole = new Uint8Array(of.length);
  let at = 0;
  for (const piece of [...of.pieces, of.last]) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function lineTooLong({ number, limit }: { readonly number: number; readonly limit: number }): LonghaulError {
  return new LonghaulError({
    code: 'line-too-long',
    message: `Line ${number} is longer than ${limit} bytes.`,
    hint: 'If a line is meant to be so long, raise the limit of a line.',
  });
}
