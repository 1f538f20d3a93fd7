import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Dialect } from 'longhaul/message';
import { errorEvent } from './errors.ts';
import { headerIn, responseHeaders } from './http/headers.ts';
import type { UpstreamResponse } from './upstream.ts';

/** Sees or rewrites what is relayed, chunk by chunk. */
export interface RelayTap {
  /** What to send for a chunk, where that is not the chunk itself. */
  rewrite?(chunk: Buffer): Uint8Array | string;
  /** What to send after the last chunk of a response that ended well. */
  flush?(): Uint8Array | string;
  /** Called with each chunk after it was sent. */
  observe?(chunk: Buffer): void;
  /** Called before the end of a response that ended well is sent. */
  finish?(): Promise<void>;
}

/** How a response ended. */
export type RelayOutcome = 'complete' | 'upstream-cut' | 'client-gone';

/**
 * Sends a response to the client, each chunk as it comes. Where the upstream breaks off in mid-stream between two
 * events, the client gets an error event of its protocol; in the middle of an event, a broken connection.
 */
export async function relay({
  response,
  outgoing,
  tap,
  dialect,
  removedHeaders = [],
  addedHeaders = {},
}: {
  readonly response: UpstreamResponse;
  readonly outgoing: ServerResponse;
  readonly tap?: RelayTap | undefined;
  readonly dialect: Dialect | undefined;
  readonly removedHeaders?: readonly string[];
  readonly addedHeaders?: Readonly<Record<string, string>>;
}): Promise<RelayOutcome> {
  const { status, statusText, body } = response;
  const headers = responseHeaders({ raw: response.headers, without: removedHeaders, set: addedHeaders });
  const isEventStream = /^text\/event-stream\b/.test(headerIn(response.headers, 'content-type') ?? '');
  outgoing.writeHead(status, statusText, headers);
  // Together with the first bytes where these are there already, at once otherwise.
  const flushed = setImmediate(() => outgoing.flushHeaders());
  let tail = '';
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      if (outgoing.destroyed) break;
      const sent = tap?.rewrite ? tap.rewrite(chunk) : chunk;
      if (isEventStream && sent.length > 0) tail = endOf(sent);
      const isFull = sent.length > 0 && !writeNow({ outgoing, sent });
      if (sent.length > 0) clearImmediate(flushed);
      tap?.observe?.(chunk);
      if (isFull) await drained(outgoing);
    }
  } catch (error) {
    clearImmediate(flushed);
    body.destroy();
    if (outgoing.destroyed || !outgoing.writable) return 'client-gone';
    const isBetweenEvents = tail === '' || /\r?\n\r?\n$/.test(tail);
    if (isEventStream && dialect && isBetweenEvents) {
      const message = `The connection to the provider broke off: ${messageOf(error)}.`;
      outgoing.end(errorEvent({ dialect, failure: { status: 502, code: 'upstream-cut', message } }));
    } else outgoing.destroy();
    return 'upstream-cut';
  }
  if (outgoing.destroyed) {
    body.destroy();
    return 'client-gone';
  }
  const rest = tap?.flush?.();
  if (rest !== undefined && rest.length > 0) outgoing.write(rest);
  await tap?.finish?.();
  clearImmediate(flushed);
  outgoing.end();
  return 'complete';
}

/** Node would hold the bytes back until everything that a tap does with them is done. */
function writeNow({
  outgoing,
  sent,
}: {
  readonly outgoing: ServerResponse;
  readonly sent: Uint8Array | string;
}): boolean {
  const { socket } = outgoing;
  socket?.cork();
  const isReady = outgoing.write(sent);
  socket?.uncork();
  return isReady;
}

function endOf(sent: Uint8Array | string): string {
  return typeof sent === 'string' ? sent.slice(-4) : Buffer.from(sent.subarray(-4)).toString('latin1');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Resolves when more can be written, or never will be. */
async function drained(outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  try {
    await Promise.race([
      once(outgoing, 'drain', { signal: gone.signal }),
      once(outgoing, 'close', { signal: gone.signal }),
    ]);
  } finally {
    gone.abort();
  }
}
