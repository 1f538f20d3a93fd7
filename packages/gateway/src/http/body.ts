import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';

/** A request body is larger than the limit. */
export class BodyTooLarge extends Error {}

/** Bytes that are allocated because a header says so. */
const mostExpected = 4 * 1024 * 1024;

/** Reads a request body. A body above the limit is not read to its end. */
export function readBody({
  incoming,
  limit,
}: {
  readonly incoming: IncomingMessage;
  readonly limit: number;
}): Promise<Buffer> {
  const length = Number(incoming.headers['content-length'] ?? 0);
  // Copied while the rest is on its way, so that nothing is left to do at its end.
  let body = Buffer.allocUnsafeSlow(Math.min(length > 0 ? length : 0, mostExpected));
  let size = 0;
  return new Promise((resolve, reject) => {
    if (length > limit) return reject(new BodyTooLarge());
    incoming.on('data', (chunk: Buffer) => {
      if (size + chunk.length > limit) {
        incoming.pause();
        return reject(new BodyTooLarge());
      }
      if (size + chunk.length > body.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(2 * body.length, size + chunk.length));
        body.copy(larger, 0, 0, size);
        body = larger;
      }
      chunk.copy(body, size);
      size += chunk.length;
    });
    incoming.once('end', () => resolve(body.subarray(0, size)));
    incoming.once('error', reject);
    incoming.once('close', () => reject(new Error('The client ended the connection.')));
  });
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
