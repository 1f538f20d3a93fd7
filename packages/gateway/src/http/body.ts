import type { IncomingMessage } from 'node:http';

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
