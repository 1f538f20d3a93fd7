import { LonghaulError } from '../../errors.ts';

/** Encoding of a text file. */
export interface TextEncoding {
  readonly name: 'utf-8' | 'utf-16le' | 'utf-16be';
  /** Length of the byte order mark. */
  readonly mark: number;
}

/** The encoding by byte order mark; UTF-8 without one. */
export function encodingOf(start: Uint8Array): TextEncoding {
  const [first, second, third] = start;
  if (first === 0xef && second === 0xbb && third === 0xbf) return { name: 'utf-8', mark: 3 };
  if (first === 0xff && second === 0xfe) return { name: 'utf-16le', mark: 2 };
  if (first === 0xfe && second === 0xff) return { name: 'utf-16be', mark: 2 };
  return { name: 'utf-8', mark: 0 };
}

/** Whether these first bytes are not text: zero bytes where no encoding has them. */
export function isBinary({
  start,
  encoding,
}: {
  readonly start: Uint8Array;
  readonly encoding: TextEncoding;
}): boolean {
  return encoding.name === 'utf-8' && start.includes(0);
}

export function decoderOf({ name }: TextEncoding): TextDecoder {
  return new TextDecoder(name, { fatal: true, ignoreBOM: true });
}

export function notText({ path }: { readonly path: string }): LonghaulError {
  return new LonghaulError({
    code: 'not-text',
    message: `${path} is binary, or text in an encoding other than UTF-8 and UTF-16.`,
    hint: 'Use bash with a program that understands it, such as file, xxd, iconv or pdftotext.',
  });
}

/** Decodes a whole file, without its byte order mark. */
export function decodeText({ data, path }: { readonly data: Buffer; readonly path: string }): {
  readonly text: string;
  readonly encoding: TextEncoding;
} {
  const encoding = encodingOf(data);
  if (isBinary({ start: data, encoding })) throw notText({ path });
  try {
    return { text: decoderOf(encoding).decode(data.subarray(encoding.mark)), encoding };
  } catch {
    throw notText({ path });
  }
}

/** Encodes a text, with the byte order mark its file had. */
export function encodeText({ text, encoding }: { readonly text: string; readonly encoding: TextEncoding }): Buffer {
  const marked = encoding.mark > 0 ? `\ufeff${text}` : text;
  if (encoding.name === 'utf-8') return Buffer.from(marked, 'utf8');
  const data = Buffer.from(marked, 'utf16le');
  return encoding.name === 'utf-16be' ? data.swap16() : data;
}
