import { isUtf8 } from 'node:buffer';
import { LonghaulError } from 'longhaul';
import { cannotRead, fileIsFolder, fileNotFound } from '../errors/file-errors.ts';
import type { FileSystem } from '../io/files.ts';
import { bytesText } from '../text/bytes.ts';

/** A file, or a stream such as standard input. */
export type TextSource =
  | { readonly files: FileSystem; readonly path: string }
  | { readonly stream: AsyncIterable<Uint8Array> };

/** The maximum size, and what to do about larger input. */
export interface ReadLimit {
  readonly bytes: number;
  readonly hint: string;
}

/**
 * Reads text, and never more than the limit into memory. A byte order mark is removed.
 *
 * @example
 * await readText({ name: 'a.json', from: { files: io.files, path: '/x/a.json' }, limit: { bytes: 1024, hint: '…' } });
 */
export async function readText({
  name,
  from,
  limit,
}: {
  /** Its name in messages. */
  readonly name: string;
  readonly from: TextSource;
  readonly limit: ReadLimit;
}): Promise<string> {
  if ('path' in from) await refuseEarly({ name, ...from, limit });
  const bytes = await collect({ name, stream: 'path' in from ? from.files.read(from.path) : from.stream, limit });
  const text = decode({ name, bytes });
  if (text.trim() === '') {
    throw new LonghaulError({
      code: 'file-empty',
      message: `${name} is empty.`,
      hint: 'Check whether the program that writes it has finished, or name another file.',
    });
  }
  return text;
}

/** Rejects what the file metadata already rules out, before reading. */
async function refuseEarly({
  name,
  files,
  path,
  limit,
}: {
  name: string;
  files: FileSystem;
  path: string;
  limit: ReadLimit;
}): Promise<void> {
  const facts = await files.stat(path).catch((error: unknown) => {
    throw cannotRead({ name, error });
  });
  if (!facts) throw fileNotFound({ name });
  if (facts.kind === 'folder') throw fileIsFolder({ name });
  if (facts.bytes > limit.bytes) throw tooLarge({ name, size: bytesText(facts.bytes), limit });
}

async function collect({
  name,
  stream,
  limit,
}: {
  name: string;
  stream: AsyncIterable<Uint8Array>;
  limit: ReadLimit;
}): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of stream) {
      pieces.push(piece);
      length += piece.length;
      if (length > limit.bytes) break;
    }
  } catch (error) {
    throw cannotRead({ name, error });
  }
  // The size of pipes and devices is not known in advance.
  if (length > limit.bytes) throw tooLarge({ name, size: undefined, limit });
  return Buffer.concat(pieces, length);
}

function tooLarge({ name, size, limit }: { name: string; size: string | undefined; limit: ReadLimit }): LonghaulError {
  return new LonghaulError({
    code: 'file-too-large',
    message: `${name} ${size === undefined ? 'exceeds' : `has ${size}, more than`} the limit of ${bytesText(limit.bytes)}.`,
    hint: limit.hint,
  });
}

function decode({ name, bytes }: { name: string; bytes: Uint8Array }): string {
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  throw new LonghaulError({
    code: 'not-utf8',
    message: utf16 ? `${name} is UTF-16 text, not UTF-8.` : `${name} is not UTF-8 text: see line ${badLine(bytes)}.`,
    hint: 'Save it as UTF-8 and try again.',
  });
}

/** The first line with invalid UTF-8. A line feed is never part of a longer character. */
function badLine(bytes: Uint8Array): number {
  let line = 1;
  let start = 0;
  while (start < bytes.length) {
    const feed = bytes.indexOf(0x0a, start);
    const end = feed === -1 ? bytes.length : feed;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    line += 1;
    start = end + 1;
  }
  return line;
}
