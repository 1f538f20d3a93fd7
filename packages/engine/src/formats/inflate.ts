import { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { LonghaulError } from '../errors.ts';

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
export async function* inflated(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
      if (written > harmless && written > read * mostGrowth) throw bomb();
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

function bomb(): LonghaulError {
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
