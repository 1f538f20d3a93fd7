import { isUtf8 } from 'node:buffer';
import { LonghaulError } from 'longhaul';
import { cannotRead } from '../errors/file-errors.ts';
import type { Io } from '../io/io.ts';
import { bytesText } from '../text/bytes.ts';
import type { Target } from './targets.ts';

/** Git's own rule: text has no zero byte near its beginning. */
const looked = 8_000;

/**
 * The text of a file or of standard input, as it is: a byte order mark stays, for it is sent and counted like the rest.
 *
 * @example
 * await readTarget({ io, target, limit: 1024, advance: (bytes) => bar.add(bytes) });
 */
export async function readTarget({
  io,
  target,
  limit,
  advance,
}: {
  readonly io: Io;
  readonly target: Target;
  readonly limit: number;
  /** Called with the size of each piece that was read. */
  readonly advance: (bytes: number) => void;
}): Promise<{ readonly text: string; readonly bytes: number }> {
  const { name, path } = target;
  const bytes = await collect();
  if (isBinary(bytes)) {
    throw new LonghaulError({ code: 'file-binary', cause: `${name} is not text.`, next: 'Name a text file.' });
  }
  if (!isUtf8(bytes)) {
    throw new LonghaulError({ code: 'not-utf8', cause: `${name} is not UTF-8 text.`, next: 'Save it as UTF-8.' });
  }
  return { text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), bytes: bytes.length };

  async function collect(): Promise<Uint8Array> {
    if (target.bytes > limit) throw tooLarge();
    const pieces: Uint8Array[] = [];
    let length = 0;
    try {
      for await (const piece of path === undefined ? io.stdin() : io.files.read(path)) {
        pieces.push(piece);
        length += piece.length;
        advance(piece.length);
        if (length > limit) break;
      }
    } catch (error) {
      throw cannotRead({ name, error });
    }
    if (length > limit) throw tooLarge();
    return Buffer.concat(pieces, length);
  }

  function tooLarge(): LonghaulError {
    return new LonghaulError({
      code: 'file-too-large',
      cause: `${name} is larger than ${bytesText(limit)}.`,
      next: 'Raise the limit with --limits-file-bytes.',
    });
  }
}

function isBinary(bytes: Uint8Array): boolean {
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !utf16 && bytes.subarray(0, looked).includes(0);
}
