import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoopbackOutcome, Transport } from './types.ts';

/** A complete response: status, headers, and its body in natural writes. */
export interface Outgoing {
  status: number;
  headers: Record<string, string>;
  frames: readonly string[];
  transport?: Transport;
  /** Closes the connection without a response. */
  drop?: boolean;
}

/** Sends a response by its transport settings; stops when the client disconnects. */
export async function send({
  response,
  outgoing,
  onBytes,
}: {
  response: ServerResponse;
  outgoing: Outgoing;
  onBytes: (count: number) => void;
}): Promise<LoopbackOutcome> {
  const { transport = {}, frames, status, headers, drop } = outgoing;
  if (drop) return cut(response);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  if (response.destroyed) return 'aborted';
  response.writeHead(status, headers);
  response.flushHeaders();
  let left = transport.cutAfterBytes ?? Number.POSITIVE_INFINITY;
  try {
    for (const [at, chunk] of chunksOf({ frames, transport }).entries()) {
      if (at > 0 && transport.delayMs !== undefined) await sleep(transport.delayMs, undefined, { signal: gone.signal });
      const part = chunk.subarray(0, left);
      left -= part.length;
      if (part.length > 0 && !response.write(part)) await once(response, 'drain', { signal: gone.signal });
      onBytes(part.length);
      if (left === 0) return await cut(response);
      if (gone.signal.aborted) return 'aborted';
    }
    response.end();
    // `finish`: all bytes were handed over; `close` without it: the client disconnected first.
    if (!response.writableFinished) await once(response, 'finish', { signal: gone.signal });
    return 'sent';
  } catch (error) {
    if (gone.signal.aborted) return response.writableFinished ? 'sent' : 'aborted';
    throw error;
  }
}

function chunksOf({ frames, transport }: { frames: readonly string[]; transport: Transport }): Buffer[] {
  const { chunkBytes } = transport;
  if (chunkBytes === undefined) return frames.map((frame) => Buffer.from(frame));
  const all = Buffer.from(frames.join(''));
  const chunks: Buffer[] = [];
  for (let at = 0; at < all.length; at += chunkBytes) chunks.push(all.subarray(at, at + chunkBytes));
  return chunks;
}

/** Closes the connection mid-response, after the written bytes were sent. */
async function cut(response: ServerResponse): Promise<LoopbackOutcome> {
  const { socket } = response;
  if (response.headersSent && socket) await new Promise<void>((resolve) => socket.write('', () => resolve()));
  socket?.destroy();
  return 'cut';
}
