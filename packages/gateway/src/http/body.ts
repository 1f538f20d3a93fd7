import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

/** A request body is larger than the limit. */
export class BodyTooLarge extends Error {}

/** Reads a request body. A body above the limit is not read to its end. */
export async function readBody({
  incoming,
  limit,
}: {
  readonly incoming: IncomingMessage;
  readonly limit: number;
}): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > limit) throw new BodyTooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  const [only] = chunks;
  return chunks.length === 1 && only ? only : Buffer.concat(chunks);
}
const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** Whether the bytes have to be decoded before they can be read. */
function isEncoded(encoding: string | undefined): encoding is string {
  return encoding !== undefined && encoding !== '' && encoding !== 'identity';
}

/**
 * The content of a body with a `content-encoding`; `undefined` where it cannot be read, so that it is passed through.
 *
 * @example
 * const text = await decodeBody({ body, encoding: 'zstd', limit: 1_000_000 });
 */
export async function decodeBody({
  body,
  encoding,
  limit,
}: {
  readonly body: Buffer;
  readonly encoding: string | undefined;
  readonly limit: number;
}): Promise<Buffer | undefined> {
  let content = body;
  if (!isEncoded(encoding)) return content;
  for (const name of encoding.toLowerCase().split(',').toReversed()) {
    const decode = decoders[name.trim() as keyof typeof decoders];
    if (!decode) return undefined;
    try {
      content = await decode(content, { maxOutputLength: limit });
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE') throw new BodyTooLarge();
      return undefined;
    }
  }
  return content;
}
