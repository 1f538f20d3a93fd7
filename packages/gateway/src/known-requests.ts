import { hash } from 'node:crypto';
import type { Dialect } from 'longhaul/message';
import { LRUCache } from 'lru-cache';
import type { Span } from './body-spans.ts';
import type { ClientRequest } from './client-request.ts';

/** What is kept of a request. Its functions are left out: they would keep the request before it. */
export type KnownRequest = Pick<
  ClientRequest,
  'bytes' | 'spans' | 'headItems' | 'chain' | 'previous' | 'head' | 'tools'
>;

/** Bytes of bodies that are kept. */
const mostBytes = 96 * 1024 * 1024;

/**
 * The newest request of each conversation, so that the next one is read only as far as it is new. It is found by the
 * bytes of the first items; what it holds is compared byte by byte before it is used.
 */
export class KnownRequests {
  readonly #requests = new LRUCache<string, KnownRequest>({
    maxSize: mostBytes,
    maxEntrySize: mostBytes / 4,
    sizeCalculation: ({ bytes }) => bytes.length + 1,
  });

  /** The request that was read last of those that begin with these items. */
  find(of: { readonly dialect: Dialect; readonly bytes: Buffer; readonly first: readonly Span[] }): {
    readonly before: KnownRequest | undefined;
    /** Replaces it. */
    readonly remember: (request: KnownRequest) => void;
  } {
    const key = keyOf(of);
    const remember = ({ bytes, spans, headItems, chain, previous, head, tools }: KnownRequest) =>
      void this.#requests.set(key, { bytes, spans, headItems, chain, previous, head, tools });
    return { before: this.#requests.get(key), remember };
  }
}

function keyOf({ dialect, bytes, first }: Parameters<KnownRequests['find']>[0]): string {
  const [begin, end] = [first[0]?.start ?? 0, first.at(-1)?.end ?? 0];
  return `${dialect} ${hash('sha1', bytes.subarray(begin, end), 'base64url')}`;
}
