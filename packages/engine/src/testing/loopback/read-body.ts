import type { IncomingMessage } from 'node:http';

/** The body's text, or `undefined` if it is longer than the limit; the rest is then read and thrown away. */
export async function readBody({
  request,
  limit,
}: {
  request: IncomingMessage;
  limit: number;
}): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
  }
  return size > limit ? undefined : Buffer.concat(chunks).toString('utf8');
}
